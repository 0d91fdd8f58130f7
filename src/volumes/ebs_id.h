// How an AWS disk is named in volumes of the old kind.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::volumes {

// "vol-123" of "aws://zone/vol-123" or "aws:///vol-123"; anything that does not start with "aws://"
// is a bare id and stays as it is. The error has upstream's words, which users may know.
Result<std::string> ebs_id(std::string_view volume_id);

}  // namespace berth::volumes
