package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The framing of the roles that answer questions, on stdin and stdout.
//
// A frame is a 4-byte big-endian length and that many bytes. A request is one frame. Its answer is
// an error frame, empty when there was none, and then the answer frames of the role, whose number
// does not change: after an error they are all empty. The program ends well when its input ends
// between two frames, and with an error when it ends inside one.

// Far above any object etcd would store (1.5 MiB), and room for a list.
const frameLenMax = 64 << 20

func readFrame(in io.Reader) ([]byte, error) {
	var header [4]byte
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(header[:])
	if length > frameLenMax {
		return nil, fmt.Errorf("frame of %d bytes; the limit is %d", length, frameLenMax)
	}
	frame := make([]byte, length)
	if _, err := io.ReadFull(in, frame); err != nil {
		return nil, fmt.Errorf("frame of %d bytes cut short: %w", length, io.ErrUnexpectedEOF)
	}
	return frame, nil
}

func writeFrame(out io.Writer, frame []byte) error {
	if len(frame) > frameLenMax {
		return fmt.Errorf("answer of %d bytes; the limit is %d", len(frame), frameLenMax)
	}
	if _, err := out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(frame)))); err != nil {
		return err
	}
	_, err := out.Write(frame)
	return err
}

// serveFrames answers every request with what `answer` returns: `count` frames or an error.
func serveFrames(in io.Reader, out io.Writer, count int, answer func([]byte) ([][]byte, error)) error {
	input := bufio.NewReader(in)
	output := bufio.NewWriter(out)
	for {
		request, err := readFrame(input)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		frames, err := answer(request)
		text := ""
		if err != nil {
			text = err.Error()
			frames = make([][]byte, count)
		}
		for _, frame := range append([][]byte{[]byte(text)}, frames...) {
			if err := writeFrame(output, frame); err != nil {
				return err
			}
		}
		if err := output.Flush(); err != nil {
			return err
		}
	}
}
