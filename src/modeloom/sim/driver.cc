// SPDX-License-Identifier: Apache-2.0
//
// C interface around one CXXRTL design, for ctypes.
//
// Bit order: a port of w bits is passed as ceil(w / 8) bytes, bit i of the port being bit i % 8 of byte i / 8.
// A column of n beats is n such values, one after the other.
//
// One clock cycle costs one evaluation of the design where that is possible ("single" mode): inputs and the rising
// clock are applied together, `eval` computes the combinational outputs of the old state and the next state, outputs
// are read, the clock is lowered and only then `commit` makes the next state visible, so that the design never sees
// the falling edge. Designs with combinational feedback through buffered wires need the plain two steps a cycle.
//
// A design with several clocks takes two steps for each time at which clocks rise. A cycle is one of the first clock:
//
//   first clock     |-----------|-----------|-----------|        period in ticks, from its phase on
//   another clock     |-----|-----|-----|-----|-----|            each edge may come up to "jitter" ticks late

#include <cxxrtl/cxxrtl.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

extern "C" cxxrtl_toplevel cxxrtl_design_create();

#define API extern "C" __attribute__((visibility("default")))

namespace {

using cxxrtl::debug_item;

size_t bytes_of(size_t width) { return (width + 7) / 8; }

struct Object {
	std::string name;
	debug_item item;
	uint32_t *sampled;  // where the value of the running cycle stands between eval and commit
};

struct Rng {  // xorshift64*, Vigna 2016
	uint64_t state;
	uint64_t next() {
		state ^= state >> 12;
		state ^= state << 25;
		state ^= state >> 27;
		return state * 0x2545f4914f6cdd1dull;
	}
};

uint64_t splitmix(uint64_t x) {
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return (x ^ (x >> 31)) | 1;
}

struct Field {
	uint32_t *port;    // written for an input stream, read for an output stream
	size_t bytes;      // of one beat
	std::vector<uint8_t> data;
	std::vector<uint8_t> held;  // payload seen in a stalled cycle
};

struct Stream {
	bool input;
	uint32_t *valid;
	uint32_t *ready;   // null: always ready
	uint32_t *second = nullptr;  // input: high in all cycles of a beat but the first one
	std::vector<Field> fields;
	Rng rng;
	uint64_t gap;      // probability of a withheld handshake, scaled to 2^32
	std::vector<uint64_t> cycles;
	uint64_t queued = 0;   // input: beats given
	uint64_t head = 0;     // input: beats accepted, output: beats taken
	uint64_t beats = 0;    // output: beats received
	bool presented = false;
	bool stalled = false;
	bool late = false;     // input: the beat has been presented for a cycle
	uint64_t dropped = 0;
	uint64_t changed = 0;
	uint64_t loud = 0;     // cycles with a payload other than zero while valid was low
	size_t clock = 0;      // number of its clock among those of the design
	uint64_t first_violation = UINT64_MAX;

	uint64_t waiting() const { return input ? queued - head : beats - head; }
};

struct Clock {
	uint32_t *port;
	uint64_t period;
	uint64_t jitter;
	uint64_t edge;     // the next one without its jitter
	uint64_t next;     // and with it
	Rng rng;
	uint64_t count = 0;
	void plan() { next = edge + (jitter ? rng.next() % (jitter + 1) : 0); }
};

struct Sim {
	std::unique_ptr<cxxrtl::module> design;
	cxxrtl::debug_items items;
	std::vector<Object> objects;
	std::string listing;
	uint32_t no_clock = 0;
	uint32_t *clock = &no_clock;
	bool single = true;
	bool settled = false;
	uint64_t cycle = 0;
	std::vector<Stream> streams;
	std::vector<size_t> watched;  // objects whose values of every cycle are kept
	std::vector<uint8_t> record;
	std::vector<Clock> clocks;    // of a design with several ones: the first is `clock`
	std::vector<char> rising;
	bool edges = false;           // whether values are kept at each edge of any clock

	// Runs up to the next edge of the first clock, and through it.
	template <typename Before, typename After> void cycle_of_clocks(Before before, After after) {
		for (bool first = false; !first;) {
			uint64_t now = UINT64_MAX;
			for (auto &c : clocks) now = std::min(now, c.next);
			for (size_t i = 0; i < clocks.size(); i++) rising[i] = clocks[i].next == now;
			first = rising[0];
			before();
			for (auto &c : clocks) *c.port = 0;
			design->step();
			after();
			if (first || edges) note();
			for (size_t i = 0; i < clocks.size(); i++) *clocks[i].port = rising[i];
			design->step();
			for (size_t i = 0; i < clocks.size(); i++) {
				if (!rising[i]) continue;
				clocks[i].edge += clocks[i].period;
				clocks[i].count++;
				clocks[i].plan();
				*clocks[i].port = 0;
			}
		}
		settled = false;
		cycle++;
	}

	void note() {
		if (edges && !watched.empty())
			for (size_t at = 0; at < 4; at++) {
				uint8_t byte = 0;
				for (size_t bit = 0; bit < 8; bit++) byte |= (8 * at + bit < rising.size() && rising[8 * at + bit]) << bit;
				record.push_back(byte);
			}
		for (size_t index : watched) {
			auto &object = objects[index];
			auto *bytes = reinterpret_cast<const uint8_t *>(object.sampled);
			record.insert(record.end(), bytes, bytes + bytes_of(object.item.width));
		}
	}

	void settle() {
		if (settled) return;
		*clock = 0;
		design->step();
		settled = true;
	}

	// First half of a cycle: afterwards every `sampled` pointer shows the outputs of this cycle.
	void sample() {
		if (single) {
			*clock = 1;
			design->eval();
		} else {
			*clock = 0;
			design->step();
		}
	}

	void edge() {
		if (single) {
			*clock = 0;
			design->commit();
		} else {
			*clock = 1;
			design->step();
		}
		settled = false;
		cycle++;
	}

	bool choose_single() {
		*clock = 0;
		design->step();
		if (!design->eval()) return false;
		for (auto &object : objects) {
			const uint32_t both = debug_item::DRIVEN_SYNC | debug_item::DRIVEN_COMB;
			if (object.item.type == debug_item::WIRE && (object.item.flags & debug_item::OUTPUT) &&
			    (object.item.flags & both) == both)
				return false;
		}
		return true;
	}

	void drive(Stream &s) {
		if (s.input) {
			if (!s.presented && s.head < s.queued && (s.rng.next() >> 32) >= s.gap) {
				for (auto &f : s.fields) memcpy(f.port, f.data.data() + s.head * f.bytes, f.bytes);
				s.presented = true;
				s.late = false;
			} else {
				s.late = s.presented;
			}
			*s.valid = s.presented;
			if (s.second) *s.second = s.late;
		} else if (s.ready) {
			*s.ready = (s.rng.next() >> 32) >= s.gap;
		}
	}

	void violation(Stream &s, uint64_t &counter) {
		counter++;
		if (s.first_violation == UINT64_MAX) s.first_violation = cycle;
	}

	void observe(Stream &s) {
		const bool ready = !s.ready || *s.ready;
		if (s.input) {
			if (s.presented && ready && (!s.second || s.late)) {
				s.head++;
				s.cycles.push_back(cycle);
				s.presented = false;
			}
			return;
		}
		const bool valid = *s.valid;
		if (s.stalled && !valid) violation(s, s.dropped);
		if (valid) {
			if (s.stalled) {
				for (auto &f : s.fields) {
					if (memcmp(f.held.data(), f.port, f.bytes)) {
						violation(s, s.changed);
						break;
					}
				}
			}
			if (ready) {
				for (auto &f : s.fields) {
					auto *bytes = reinterpret_cast<const uint8_t *>(f.port);
					f.data.insert(f.data.end(), bytes, bytes + f.bytes);
				}
				s.beats++;
				s.cycles.push_back(cycle);
			} else {
				for (auto &f : s.fields) memcpy(f.held.data(), f.port, f.bytes);
			}
		} else {
			for (auto &f : s.fields) {
				auto *bytes = reinterpret_cast<const uint8_t *>(f.port);
				if (std::any_of(bytes, bytes + f.bytes, [](uint8_t byte) { return byte != 0; })) {
					s.loud++;
					break;
				}
			}
		}
		s.stalled = valid && !ready;
	}
};

}  // namespace

API Sim *ml_create() {
	auto *sim = new Sim;
	std::unique_ptr<_cxxrtl_toplevel> top(cxxrtl_design_create());
	sim->design = std::move(top->module);
	sim->design->debug_info(&sim->items, nullptr, "");
	for (auto &entry : sim->items.table) {
		if (entry.second.size() != 1) continue;
		auto &item = entry.second[0];
		if (item.type == debug_item::OUTLINE) continue;
		const bool comb_wire = item.type == debug_item::WIRE && (item.flags & debug_item::DRIVEN_COMB);
		sim->objects.push_back({entry.first, item, comb_wire ? item.next : item.curr});
	}
	for (auto &object : sim->objects) {
		const bool port = object.name.find(' ') == std::string::npos;
		char kind = 's';
		if (object.item.type == debug_item::MEMORY) kind = 'm';
		else if (port && (object.item.flags & debug_item::INPUT)) kind = 'i';
		else if (port && (object.item.flags & debug_item::OUTPUT)) kind = 'o';
		sim->listing += std::string(1, kind) + "\t" + std::to_string(object.item.width) + "\t" +
		                std::to_string(object.item.depth) + "\t" + object.name + "\n";
	}
	return sim;
}

API void ml_destroy(Sim *sim) { delete sim; }

// One line per object: kind (i, o, s, m), width, depth, hierarchical name; line number = index.
API const char *ml_objects(Sim *sim) { return sim->listing.c_str(); }

// Must come before the first step; a negative index stands for a design without a clock. Returns 1 if a cycle costs one
// evaluation, 0 if it costs two (always, if `two_steps`).
API int ml_set_clock(Sim *sim, int64_t index, int two_steps) {
	if (index >= 0) sim->clock = sim->objects[index].item.next;
	sim->single = !two_steps && sim->choose_single();
	if (!sim->single)
		for (auto &object : sim->objects) object.sampled = object.item.curr;
	return sim->single;
}

// The first clock is that of ml_set_clock. Must come before the first step and before streams are added.
API void ml_set_clocks(Sim *sim, uint32_t count, const uint32_t *indices, const uint64_t *periods, const uint64_t *phases,
                       const uint64_t *jitters, uint64_t seed) {
	sim->single = false;
	for (auto &object : sim->objects) object.sampled = object.item.curr;
	sim->clocks.clear();
	for (uint32_t i = 0; i < count; i++) {
		sim->clocks.push_back({sim->objects[indices[i]].item.next, periods[i], jitters[i], phases[i], 0, {splitmix(seed + i)}});
		sim->clocks.back().plan();
	}
	sim->rising.assign(count, 0);
}

// Number of edges of a clock.
API uint64_t ml_clock_count(Sim *sim, uint32_t clock) { return sim->clocks[clock].count; }

API void ml_stream_clock(Sim *sim, uint32_t index, uint32_t clock) { sim->streams[index].clock = clock; }

API void ml_power_on(Sim *sim) {
	*sim->clock = 0;
	sim->design->step();
	sim->design->reset();
	sim->settled = false;
}

API void ml_set(Sim *sim, uint32_t index, const uint8_t *value) {
	auto &item = sim->objects[index].item;
	memcpy(item.next, value, bytes_of(item.width));
	sim->settled = false;
}

API void ml_get(Sim *sim, uint32_t index, uint8_t *value) {
	sim->settle();
	auto &item = sim->objects[index].item;
	memcpy(value, item.curr, bytes_of(item.width));
}

API void ml_get_word(Sim *sim, uint32_t index, uint64_t word, uint8_t *value) {
	auto &item = sim->objects[index].item;
	memcpy(value, item.curr + word * ((item.width + 31) / 32), bytes_of(item.width));
}

// Gives a register, or a word of a memory, a value that the design has not computed.
API void ml_put(Sim *sim, uint32_t index, uint64_t word, const uint8_t *value) {
	sim->settle();
	auto &item = sim->objects[index].item;
	const size_t place = word * ((item.width + 31) / 32);
	memcpy(item.curr + place, value, bytes_of(item.width));
	if (item.next && item.next != item.curr) memcpy(item.next + place, value, bytes_of(item.width));
	sim->settled = false;
}

API void ml_step(Sim *sim, uint64_t cycles) {
	for (uint64_t i = 0; i < cycles; i++) {
		if (!sim->clocks.empty()) {
			sim->cycle_of_clocks([] {}, [] {});
			continue;
		}
		sim->sample();
		sim->note();
		sim->edge();
	}
}

// From now on the values of these objects are kept in every cycle, one behind the other. With `edges`, they are kept at each edge of any
// clock, behind 32 bits that tell which clocks rise.
API void ml_watch(Sim *sim, const uint32_t *indices, uint32_t count, int edges) {
	sim->edges = edges;
	sim->watched.assign(indices, indices + count);
	sim->record.clear();
}

API uint64_t ml_watched_bytes(Sim *sim) { return sim->record.size(); }

API void ml_watched_take(Sim *sim, uint8_t *bytes) {
	memcpy(bytes, sim->record.data(), sim->record.size());
	sim->record.clear();
}

API uint64_t ml_cycle(Sim *sim) { return sim->cycle; }

API uint32_t ml_add_stream(Sim *sim, int input, uint32_t valid, int64_t ready, const uint32_t *payload,
                           uint32_t payload_count, uint64_t seed) {
	Stream s{};
	s.input = input;
	s.first_violation = UINT64_MAX;
	auto &v = sim->objects[valid];
	s.valid = input ? v.item.next : v.sampled;
	if (ready >= 0) {
		auto &r = sim->objects[ready];
		s.ready = input ? r.sampled : r.item.next;
	}
	for (uint32_t i = 0; i < payload_count; i++) {
		auto &p = sim->objects[payload[i]];
		const size_t bytes = bytes_of(p.item.width);
		s.fields.push_back({input ? p.item.next : p.sampled, bytes, {}, std::vector<uint8_t>(bytes)});
	}
	s.rng.state = splitmix(seed ^ splitmix(sim->streams.size()));
	sim->streams.push_back(std::move(s));
	return sim->streams.size() - 1;
}

// The port of an input stream that is high in all cycles of a beat but the first one, in which no beat is accepted.
API void ml_stream_second(Sim *sim, uint32_t index, uint32_t port) {
	sim->streams[index].second = sim->objects[port].item.next;
}

API void ml_clear_streams(Sim *sim) { sim->streams.clear(); }

API void ml_stream_gap(Sim *sim, uint32_t index, uint64_t gap) { sim->streams[index].gap = gap; }

API void ml_stream_feed(Sim *sim, uint32_t index, uint64_t beats, const uint8_t *const *columns) {
	auto &s = sim->streams[index];
	for (size_t i = 0; i < s.fields.size(); i++) {
		auto &f = s.fields[i];
		f.data.erase(f.data.begin(), f.data.begin() + s.head * f.bytes);
		f.data.insert(f.data.end(), columns[i], columns[i] + beats * f.bytes);
	}
	s.queued = s.queued - s.head + beats;
	s.head = 0;
}

API uint64_t ml_stream_waiting(Sim *sim, uint32_t index) { return sim->streams[index].waiting(); }

API uint64_t ml_stream_handshakes(Sim *sim, uint32_t index) { return sim->streams[index].cycles.size(); }

// Moves the first `beats` beats of an output stream out (columns) or, for an input stream, only their cycle numbers.
API void ml_stream_take(Sim *sim, uint32_t index, uint64_t beats, uint8_t *const *columns, uint64_t *cycles) {
	auto &s = sim->streams[index];
	memcpy(cycles, s.cycles.data(), beats * sizeof(uint64_t));
	s.cycles.erase(s.cycles.begin(), s.cycles.begin() + beats);
	if (s.input) return;
	for (size_t i = 0; i < s.fields.size(); i++) {
		auto &f = s.fields[i];
		memcpy(columns[i], f.data.data(), beats * f.bytes);
		f.data.erase(f.data.begin(), f.data.begin() + beats * f.bytes);
	}
	s.beats -= beats;
}

API void ml_stream_violations(Sim *sim, uint32_t index, uint64_t *result) {
	auto &s = sim->streams[index];
	result[0] = s.dropped;
	result[1] = s.changed;
	result[2] = s.first_violation;
	result[3] = s.loud;
}

// Runs until every output stream i has at least targets[i] beats waiting and, if `drain`, all queued input beats are
// accepted. Returns 1 for that, 0 when the cycle limit came first. Without targets only the limit ends the run.
API int ml_run(Sim *sim, const uint64_t *targets, int drain, uint64_t limit) {
	auto done = [&] {
		if (!targets) return false;
		for (size_t i = 0; i < sim->streams.size(); i++) {
			auto &s = sim->streams[i];
			if (s.input ? (drain && s.waiting() != 0) : s.waiting() < targets[i]) return false;
		}
		return true;
	};
	for (uint64_t i = 0; i < limit; i++) {
		if (done()) return 1;
		if (!sim->clocks.empty()) {
			sim->cycle_of_clocks(
				[&] { for (auto &s : sim->streams) if (sim->rising[s.clock]) sim->drive(s); },
				[&] { for (auto &s : sim->streams) if (sim->rising[s.clock]) sim->observe(s); });
			continue;
		}
		for (auto &s : sim->streams) sim->drive(s);
		sim->sample();
		for (auto &s : sim->streams) sim->observe(s);
		sim->note();
		sim->edge();
	}
	return !targets || done();
}

// Lowers every valid and ready and forgets queued and received beats; for use while the design is in reset.
API void ml_flush_streams(Sim *sim) {
	for (auto &s : sim->streams) {
		for (auto &f : s.fields) f.data.clear();
		s.cycles.clear();
		s.queued = s.head = s.beats = 0;
		s.presented = s.stalled = s.late = false;
		if (s.input) *s.valid = 0;
		if (s.second) *s.second = 0;
		else if (s.ready) *s.ready = 0;
	}
	sim->settled = false;
}
