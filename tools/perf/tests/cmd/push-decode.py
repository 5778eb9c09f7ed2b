#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""push-decode.py DIR: what push-server.py has taken, one line "profile ..." for each profile, "sample NAME COUNT PERIOD LABELS STACK" for
each sample, "place BUILD-ID ADDRESS" for each function without a name, "label NAME=VALUE" for those of a profile.

pprof is decoded by the schema of Google's package, in the module profile_pb2 (protoc). No package has the schemas of the envelopes: with
PERF_OTLP_PROTO and PERF_PYROSCOPE_PROTO, checkouts of opentelemetry-proto and of pyroscope's api/, whose modules protoc has made, they
are decoded by these, too; else by the numbers of their fields alone."""
import glob, gzip, json, os, struct, sys
import profile_pb2

try:
    from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2 as otlp_pb2
except ImportError:
    otlp_pb2 = None
try:
    from push.v1 import push_pb2
except ImportError:
    push_pb2 = None


def fields(data):
    """{number: [value...]} of a message: int, or bytes."""
    at, out = 0, {}

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            value = varint()
        elif kind == 1:
            value, = struct.unpack_from("<Q", data, at)
            at += 8
        elif kind == 2:
            size = varint()
            value = data[at:at + size]
            if len(value) != size:
                raise ValueError("a member is cut")
            at += size
        else:
            raise ValueError(f"wire type {kind}")
        out.setdefault(key >> 3, []).append(value)
    return out


def packed(values):
    out = []
    for value in values:
        if isinstance(value, int):
            out.append(value)
            continue
        at = 0
        while at < len(value):
            number = shift = 0
            while True:
                byte = value[at]
                at += 1
                number |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            out.append(number)
    return out


def one(message, number, default=0):
    return message.get(number, [default])[-1]


def text(message, number):
    return one(message, number, b"").decode()


def show_sample(name, count, period, labels, frames):
    print("sample", name, count, period, ",".join(f"{k}={v}" for k, v in sorted(labels.items())).replace(" ", "_") or "-",
          ";".join(reversed(frames)))


def show_pprof(data, name):
    p = profile_pb2.Profile()
    p.ParseFromString(gzip.decompress(data))
    s = p.string_table
    assert s[0] == "", "the first string is empty"
    types = [f"{s[t.type]}/{s[t.unit]}" for t in p.sample_type]
    print("profile", name, " ".join(types), f"{s[p.period_type.type]}/{s[p.period_type.unit]}", p.period, p.time_nanos, p.duration_nanos)
    functions = {f.id: s[f.name] for f in p.function}
    mappings = {m.id: m for m in p.mapping}
    frames, places = {}, {}
    for l in p.location:
        frames[l.id] = functions[l.line[0].function_id] if l.line else f"0x{l.address:x}"
        if not l.line:
            m = mappings[l.mapping_id]
            assert m.memory_start <= l.address < m.memory_limit and not m.has_functions, "its mapping contains it"
            print("place", s[m.build_id], f"0x{l.address:x}")
    for m in p.mapping:
        print("file", s[m.build_id] or "-", s[m.filename])
    for sample in p.sample:
        labels = {s[l.key]: s[l.str] for l in sample.label}
        assert len(labels) == len(sample.label), "each label once"
        show_sample(name, *sample.value, labels, [frames[i] for i in sample.location_id])


def show_push(data):
    request = fields(data)
    if push_pb2:
        official = push_pb2.PushRequest.FromString(data)
        assert official.SerializeToString() == data and len(official.series) == len(request[1]), "as the official schema has it"
        assert all(series.samples[0].ID for series in official.series), "each has an ID"
    for series in map(fields, request[1]):
        labels = {text(l, 1): text(l, 2) for l in map(fields, series[1])}
        for label, value in sorted(labels.items()):
            print(f"label {label}={value}")
        for sample in map(fields, series[2]):
            assert len(one(sample, 2)) == 36, "a UUID"
            show_pprof(one(sample, 1), labels["__name__"])


def attribute(strings, message):
    value = fields(one(message, 2, b""))
    return strings[one(message, 1)], text(value, 1) if 1 in value else one(value, 3)


def show_otlp(data):
    request = fields(gzip.decompress(data))
    if otlp_pb2:
        official = otlp_pb2.ExportProfilesServiceRequest.FromString(gzip.decompress(data))
        check_otlp(official)
    d = fields(request[2][0])
    strings = [s.decode() for s in d[5]]
    attributes = [attribute(strings, fields(a)) for a in d[6]]
    mappings, locations, functions, stacks = [[fields(m) for m in d[i]] for i in (1, 2, 3, 7)]
    for table in (mappings, locations, functions, stacks):
        assert table[0] == {}, "the first of each table is empty"
    frames = []
    for l in locations:
        lines = [fields(x) for x in l.get(3, [])]
        frames.append(strings[one(functions[one(lines[0], 1)], 1)] if lines else f"0x{one(l, 2):x}")
        if l and not lines:
            ids = [attributes[a] for a in packed(mappings[one(l, 1)].get(5, []))]
            print("place", dict(ids)["process.executable.build_id.gnu"], f"0x{one(l, 2):x}")
    for resource in map(fields, request[1]):
        for label in map(fields, fields(resource[1][0])[1]):
            print(f"label {text(label, 1)}={text(fields(one(label, 2)), 1)}")
        for scope in map(fields, resource[2]):
            for p in map(fields, scope[2]):
                show_otlp_profile(p, strings, attributes, stacks, frames)


def show_otlp_profile(p, strings, attributes, stacks, frames):
    types = []
    for number in (1, 5):
        t = fields(one(p, number, b""))
        types.append(f"{strings[one(t, 1)]}/{strings[one(t, 2)]}")
    period = one(p, 6)
    print("profile", "otlp", *types, period, one(p, 3), one(p, 4))
    for sample in map(fields, p.get(2, [])):
        count, = packed(sample[4])
        labels = {k: v for k, v in (attributes[a] for a in packed(sample.get(2, [])))}
        stack = packed(stacks[one(sample, 1)].get(1, []))
        show_sample("otlp", count, count * period if types[0] == "samples/count" else count, labels, [frames[i] for i in stack])


def check_otlp(request):
    """By the official schema: all indexes are in their tables, nothing is there that it does not know, nothing twice."""
    d = request.dictionary
    for table in (d.mapping_table, d.location_table, d.function_table, d.attribute_table, d.stack_table):
        assert len(table) and table[0] == type(table[0])(), "the first of each table is empty"
        texts = [m.SerializeToString() for m in table]
        assert len(set(texts)) == len(texts), "nothing is twice in a table"
    assert len(set(d.string_table)) == len(d.string_table) and d.string_table[0] == ""
    for l in d.location_table:
        assert l.mapping_index < len(d.mapping_table) and all(0 < x.function_index < len(d.function_table) for x in l.lines)
        assert not l.address or d.mapping_table[l.mapping_index].memory_start <= l.address < d.mapping_table[l.mapping_index].memory_limit
    for s in d.stack_table:
        assert all(0 < i < len(d.location_table) for i in s.location_indices)
    for resource in request.resource_profiles:
        for scope in resource.scope_profiles:
            for p in scope.profiles:
                assert len(p.profile_id) == 16 and p.time_unix_nano and p.duration_nano
                for s in p.samples:
                    assert s.stack_index < len(d.stack_table) and len(s.values) == 1
                    names = [d.string_table[d.attribute_table[a].key_strindex] for a in s.attribute_indices]
                    assert len(set(names)) == len(names)
    print("official otlp")


for name in sorted(glob.glob(sys.argv[1] + "/*.json")):
    with open(name) as f:
        path = json.load(f)["path"]
    with open(name[:-4] + "body", "rb") as f:
        data = f.read()
    print("body", path.split("?")[0], len(data))
    if path.endswith("/push.v1.PusherService/Push"):
        show_push(data)
    elif path.endswith("/v1development/profiles"):
        show_otlp(data)
    else:
        show_pprof(data, "ingest")
