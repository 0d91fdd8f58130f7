"""What bench/run makes of what the programs measured."""

import json
import pathlib
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from berth_bench import figures, plot, programs, report, wire  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def row(name="a", value=2.0, peer="p", peer_value=6.0, ratio=3.0, unit="ns"):
    return {
        "name": name,
        "value": value,
        "unit": unit,
        "peer": peer,
        "peer_value": peer_value,
        "ratio": ratio,
        "command": "c",
    }


class DecodeFigures(unittest.TestCase):
    def test_every_reading_is_given_by_a_mode_or_by_go(self):
        given = {of(mode) for mode in figures.MODES for of in (figures.time_of, figures.memory_of)}
        for figure in figures.decode_figures():
            for reading in figure.readings():
                self.assertTrue(reading in given or reading.startswith("go-"), reading)

    def test_every_mode_is_shown(self):
        shown = set().union(*(figure.readings() for figure in figures.decode_figures()))
        self.assertEqual([mode for mode in figures.MODES if figures.time_of(mode) not in shown], [])

    def test_names_are_unique(self):
        names = [figure.name for figure in figures.decode_figures()]
        self.assertEqual(len(names), len(set(names)))

    def test_every_goal_of_decoding_belongs_to_a_figure_and_its_peer(self):
        known = {
            (figure.name, peer) for figure in figures.decode_figures() for peer, _ in figure.peers
        }
        goals = [goal for goal in figures.GOALS if goal.name.startswith("decode")]
        self.assertEqual([goal for goal in goals if (goal.name, goal.peer) not in known], [])

    def test_without_go_the_other_peers_remain(self):
        peers = {
            figure.name: [peer for peer, _ in figure.peers]
            for figure in figures.decode_figures(with_go=False)
        }
        self.assertEqual(peers["decode.protobuf.list"], [])
        self.assertEqual(
            peers["decode.json.list"], ["RapidJSON tree", "Boost.JSON tree", "nlohmann tree"]
        )


class BenchmarkFigures(unittest.TestCase):
    def test_ours_and_the_peer_become_one_figure(self):
        made = list(
            figures.benchmark_figures(
                "node_set_bench", ["and/node_set/5000", "and/vector_bool/5000"]
            )
        )
        self.assertEqual([figure.name for figure in made], ["node_set.and.5000"])
        self.assertEqual(made[0].reading, "node_set_bench and/node_set/5000")
        self.assertEqual(
            made[0].peers, (("std::vector<bool>", "node_set_bench and/vector_bool/5000"),)
        )

    def test_a_benchmark_whose_peer_is_missing_stands_alone(self):
        made = list(
            figures.benchmark_figures("node_selector_bench", ["indexed/5000", "relabel/5000"])
        )
        self.assertEqual(
            [figure.name for figure in made], ["node_selector.5000", "node_selector.relabel.5000"]
        )
        self.assertEqual([figure.peers for figure in made], [(), ()])

    def test_a_benchmark_of_memory_is_a_figure_in_bytes(self):
        names = ["waiting_task/berth/memory", "waiting_task/asio/memory", "spawn/berth"]
        made = list(figures.benchmark_figures("runtime_bench", names))
        self.assertEqual(
            [(figure.name, figure.unit) for figure in made],
            [("runtime.waiting_task.memory", "bytes"), ("runtime.spawn", "ns")],
        )
        self.assertNotEqual(plot.family_of(made[0].name), plot.family_of(made[1].name))

    def test_a_program_nobody_described_is_taken_as_it_is(self):
        made = list(figures.benchmark_figures("quantity_bench", ["parse/milli"]))
        self.assertEqual(
            [(figure.name, figure.unit) for figure in made], [("quantity.parse.milli", "ns")]
        )


class VolumeFigures(unittest.TestCase):
    BENCHMARKS = ["event/node/100x300", "filter/1000x3000", "filter/100x300", "volume/100x300/memory"]

    def made(self, **options):
        return list(figures.volume_figures("volumes_bench", self.BENCHMARKS, **options))

    def test_the_smaller_world_comes_first(self):
        names = [figure.name for figure in self.made() if "filter" in figure.name]
        self.assertEqual(names, ["volumes.filter.100x300", "volumes.filter.1000x3000"])

    def test_the_plugin_stands_beside_the_placing_of_pods(self):
        peers = {figure.name: [peer for peer, _ in figure.peers] for figure in self.made()}
        self.assertEqual(peers["volumes.filter.100x300"], [figures.GO_PLUGIN])
        self.assertEqual(peers["volumes.event.node.100x300"], [])

    def test_without_go_ours_remain(self):
        self.assertEqual([figure.peers for figure in self.made(with_go=False)], [()] * 4)

    def test_what_takes_too_long_is_left_out_as_a_peer(self):
        gone = {figures.plugin_cpu("1000x3000")}
        peers = {
            figure.name: len(figure.peers) for figure in figures.without_readings(self.made(), gone)
        }
        self.assertEqual(peers["volumes.filter.1000x3000"], 0)
        self.assertEqual(peers["volumes.filter.100x300"], 1)

    def test_every_goal_belongs_to_a_benchmark(self):
        worlds = {figures.world_name(*world) for world in figures.WORLDS}
        goals = [goal for goal in figures.GOALS if goal.name.startswith("volumes.")]
        self.assertEqual([goal for goal in goals if goal.name.split(".")[-1] not in worlds], [])


class Rows(unittest.TestCase):
    def test_a_row_has_the_keys_of_the_contract(self):
        figure = figures.Figure("a", figures.US, "ours", (("p", "theirs"),))
        made = list(figures.rows([figure], {"ours": [2000.0], "theirs": [6000.0]}, {"ours": "c"}))
        self.assertEqual(made, [row(unit="µs")])
        self.assertEqual(
            list(made[0]), ["name", "value", "unit", "peer", "peer_value", "ratio", "command"]
        )

    def test_a_figure_is_the_best_of_its_rounds(self):
        figure = figures.Figure("a", figures.NS, "ours")
        made = list(figures.rows([figure], {"ours": [1.0, 90.0, 3.0]}, {"ours": "c"}))
        self.assertEqual(made, [row(value=1.0, peer=None, peer_value=None, ratio=None)])

    def test_more_than_one_says_that_ours_is_better(self):
        figure = figures.Figure("a", figures.MIB, "ours", (("p", "theirs"),))
        samples = {"ours": [2.0 * 2**20], "theirs": [1.0 * 2**20]}
        self.assertEqual(next(figures.rows([figure], samples, {"ours": "c"}))["ratio"], 0.5)


    def test_of_rates_more_is_better(self):
        figure = figures.Figure("a", figures.PER_SECOND, "ours", (("p", "theirs"),))
        samples = {"ours": [100.0, 300.0], "theirs": [150.0, 140.0]}
        made = next(figures.rows([figure], samples, {"ours": "c"}))
        self.assertEqual((made["value"], made["peer_value"], made["ratio"]), (300.0, 150.0, 2.0))


class WireFigures(unittest.TestCase):
    COST = {"items": 4, "seconds": 2, "cpu_seconds": 1, "start_rss_bytes": 10, "peak_rss_bytes": 25}

    def test_every_reading_is_given_by_one_source(self):
        sources = wire.sources("controlplane", pathlib.Path("programs"))
        for figure in figures.wire_figures():
            giving = [source for source in sources if figure.readings() & source.readings()]
            self.assertEqual(len(giving), 1, figure.name)

    def test_every_goal_belongs_to_a_figure_and_its_peer(self):
        known = {
            (figure.name, peer) for figure in figures.wire_figures() for peer, _ in figure.peers
        }
        goals = [goal for goal in figures.GOALS if goal.name.startswith("wire")]
        self.assertEqual([goal for goal in goals if (goal.name, goal.peer) not in known], [])

    def test_a_report_is_read_item_by_item(self):
        self.assertEqual(
            wire.cost("x", self.COST), {"x rate": 2, "x cpu": 0.25e9, "x memory": 15}
        )

    def test_memory_counts_from_the_beginning_of_the_first_piece_of_work(self):
        followed = {**self.COST, "start_rss_bytes": 20, "peak_rss_bytes": 30}
        readings = wire.follow_cost("x", self.COST, followed)
        self.assertEqual(readings["x memory"], 20)
        self.assertEqual(readings["x list"], 2e9)


class Goals(unittest.TestCase):
    def test_a_ratio_is_met_from_its_bound_on(self):
        goal = figures.Goal("a", "p", ratio_min=4)
        self.assertFalse(goal.is_met(row(ratio=3.99)))
        self.assertTrue(goal.is_met(row(ratio=4.0)))

    def test_a_value_is_met_up_to_its_bound(self):
        goal = figures.Goal("a", value_max=100)
        self.assertTrue(goal.is_met(row(value=100)))
        self.assertFalse(goal.is_met(row(value=100.1)))

    def test_a_goal_belongs_to_one_peer(self):
        standard = row("decode.json.list", peer=figures.GO_STANDARD)
        client = row("decode.json.list", peer=figures.GO_CLIENT)
        self.assertEqual([of for _, of in figures.decided([client, standard])], [standard])
        self.assertEqual(list(figures.decided([client])), [])

    def test_a_figure_may_have_several_goals_each_decided_once(self):
        name = "volumes.filter.1000x3000"
        rows = [
            row(name, 900.0, peer, ratio=2000.0, unit="µs")
            for peer in (figures.GO_PLUGIN, "another")
        ]
        self.assertEqual([of for _, of in figures.decided(rows)], [rows[0], rows[0]])
        line = report.table(rows).splitlines()[1]
        self.assertIn("at least 1,000×: met; at most 1,000 µs: met", line)

    def test_what_was_not_measured_is_not_met(self):
        measured = [row("decode.json.list", peer=figures.GO_STANDARD, ratio=9.0)]
        left = len(figures.GOALS) - 1
        self.assertEqual(
            report.goals_line(measured), f"goals: 0 met, 1 missed, {left} not measured"
        )


class Readings(unittest.TestCase):
    def test_of_a_decode_mode(self):
        text = '{"mode":"m","cpu_ns_per_pod":{"median":7.5,"best":1},"peak_rss_growth_bytes":9}'
        self.assertEqual(programs.read_decode_mode(text), {"m time": 7.5, "m memory": 9})

    def test_of_go(self):
        modes = [{"mode": "m", "cpu_ns_per_pod": {"median": 7.5}, "peak_rss_growth_bytes": 9}]
        readings = programs.read_go_decoders(json.dumps({"modes": modes}))
        self.assertEqual(readings, {"go-m time": 7.5, "go-m memory": 9})

    def test_of_google_benchmark_in_nanoseconds(self):
        rows = [
            {"name": "x/1", "cpu_time": 2.0, "time_unit": "us"},
            {"name": "x/2", "cpu_time": 3.0, "time_unit": "ns"},
        ]
        readings = programs.read_google_benchmark("p", json.dumps({"benchmarks": rows}))
        self.assertEqual(readings, {"p x/1": 2000.0, "p x/2": 3.0})

    def test_of_google_benchmark_in_bytes(self):
        rows = [{"name": "x/memory", "cpu_time": 2.0, "time_unit": "us", "bytes": 640.5}]
        readings = programs.read_google_benchmark("p", json.dumps({"benchmarks": rows}))
        self.assertEqual(readings, {"p x/memory": 640.5})

    def test_of_a_benchmark_that_counts_its_own_time(self):
        rows = [{"name": "x", "cpu_time": 2.0, "time_unit": "us", "cpu_ns": 640.5}]
        readings = programs.read_google_benchmark("p", json.dumps({"benchmarks": rows}))
        self.assertEqual(readings, {"p x": 640.5})

    def test_of_the_volume_plugin(self):
        report = {"cpu_ns_per_pod": {"mean": 7.5}}
        self.assertEqual(
            programs.read_volume_plugin("1x2", report), {figures.plugin_cpu("1x2"): 7.5}
        )

    def test_programs_that_find_different_nodes_end_the_run(self):
        ours = programs.VolumesBenchmark("p", [], 0, feasible={"1x2": [5, 6]})
        same = programs.VolumePlugin("p", "1x2", "f", 0, feasible={"1x2": [5]})
        programs.check_same_answers([ours, same])
        other = programs.VolumePlugin("p", "1x2", "f", 0, feasible={"1x2": [4]})
        with self.assertRaisesRegex(SystemExit, "1x2"):
            programs.check_same_answers([ours, other])

    def test_a_failed_benchmark_ends_the_run(self):
        rows = [{"name": "x", "error_occurred": True, "error_message": "why"}]
        with self.assertRaisesRegex(SystemExit, "why"):
            programs.read_google_benchmark("p", json.dumps({"benchmarks": rows}))


class Report(unittest.TestCase):
    def test_a_figure_with_several_peers_is_named_once(self):
        lines = report.table([row(peer="p"), row(peer="q")]).splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:]], ["a", "q"])

    def test_a_missed_goal_says_so(self):
        missed = row("decode.protobuf.list", peer=figures.GO_GENERATED, ratio=3.9)
        self.assertIn("at least 4×: MISSED", report.table([missed]))

    def test_markdown_has_as_many_cells_in_every_line(self):
        lines = report.markdown([row(), row(peer=None, peer_value=None, ratio=None)]).splitlines()
        self.assertEqual({line.count("|") for line in lines}, {7})


class Plots(unittest.TestCase):
    def bars(self, rows):
        """(widths of the bars, all texts) of the one plot these rows make."""
        (svg,) = plot.plots(rows).values()
        tree = xml.etree.ElementTree.fromstring(svg)
        background, *bars = tree.iter(f"{SVG}rect")
        texts = [text.text for text in tree.iter(f"{SVG}text")]
        self.assertEqual(background.get("fill"), "white")
        return [float(bar.get("width")) for bar in bars], texts

    def test_time_and_memory_of_decoding_are_plots_of_their_own(self):
        rows = [row("decode.json.list"), row("decode.json.list.memory"), row("node_set.and.5000")]
        self.assertEqual(
            list(plot.plots(rows)), ["decode.json.time", "decode.json.memory", "node_set"]
        )

    def test_placing_pods_is_drawn_as_lines_over_the_worlds(self):
        rows = [
            row(f"volumes.{kind}.{world}", value, figures.GO_PLUGIN, value * 1000, 1000.0, "µs")
            for kind in ("filter", "reasons")
            for world, value in (("100x300", 10.0), ("300x900", 30.0))
        ]
        (svg,) = plot.plots(rows).values()
        tree = xml.etree.ElementTree.fromstring(svg)
        self.assertEqual(len(list(tree.iter(f"{SVG}circle"))), 6)
        heights = [float(circle.get("cy")) for circle in tree.iter(f"{SVG}circle")]
        # A thousand times is three powers of ten, wherever it is on the scale.
        plugin, ours = heights[:2], heights[4:]
        self.assertAlmostEqual(ours[0] - plugin[0], ours[1] - plugin[1], places=0)
        self.assertGreater(ours[0], ours[1])

    def test_events_and_memory_of_volumes_are_plots_of_their_own(self):
        names = ["volumes.event.node.100x300", "volumes.volume.100x300.memory"]
        self.assertEqual(
            list(plot.plots([row(name) for name in names])), ["volumes.event", "volumes.memory"]
        )

    def test_bars_are_as_long_as_their_values(self):
        ours, theirs = self.bars([row(value=2.0, peer_value=6.0)])[0]
        self.assertAlmostEqual(theirs / ours, 3, places=1)

    def test_values_far_apart_get_a_logarithmic_scale(self):
        (ours, theirs), texts = self.bars([row(value=10.0, peer_value=10000.0)])
        self.assertTrue(any("logarithmic" in text for text in texts))
        self.assertAlmostEqual(theirs / ours, 4, places=1)  # from 1: four powers of ten and one

    def test_names_cannot_break_the_drawing(self):
        self.assertIn("std::vector<bool>", self.bars([row(peer="std::vector<bool>")])[1])

    def test_a_value_of_nothing_is_drawn(self):
        self.assertEqual(len(self.bars([row(value=0.0, peer_value=0.0, ratio=None)])[0]), 2)


if __name__ == "__main__":
    unittest.main()
