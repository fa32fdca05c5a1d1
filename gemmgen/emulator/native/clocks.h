// Vector clocks of a block's agents: its threads, and later the engines that copy on their behalf.
//
// Every access carries its agent's clock. It is ordered before agent t's present step when t's vector has reached that
// clock. A barrier of the whole block makes all vectors equal, so the block keeps that one vector once: `base`, the
// clock that every thread starts a new step with. A clock below it is known to every thread, which settles nearly all
// questions by one comparison, exactly. Only a finer synchronisation gives an agent a vector of its own; agents that
// met at the same point share one copy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gemmgen {

class Clocks {
 public:
  struct Vector {
    int references = 0;
    std::vector<int32_t> known;
  };

  // `threads` agents that meet at block barriers, then `engines` that do not. Clocks start at `first`.
  void reset(int threads, int engines, int32_t first) {
    threads_ = threads;
    base_ = first;
    clock_.assign(threads + engines, first);
    engine_base_.assign(engines, first - 1);
    drop_vectors();
    vector_.assign(threads + engines, nullptr);
  }

  int32_t base() const { return base_; }
  int32_t clock(int agent) const { return clock_[agent]; }
  bool finer() const { return finer_; }

  // Whether what `other` did at `stamp` happened before the present step of `agent`.
  bool ordered(int agent, int other, int32_t stamp) const {
    return agent == other || known(agent, other) >= stamp;
  }

  // All threads have arrived at a barrier of the block: from here they know all that any of them knew.
  void join_block() {
    int32_t latest = base_;
    for (int t = 0; t < threads_; ++t) latest = std::max(latest, clock_[t]);
    for (size_t e = 0; e < engine_base_.size(); ++e) {
      for (int t = 0; finer_ && t < threads_; ++t) {
        if (vector_[t] != nullptr) engine_base_[e] = std::max(engine_base_[e], vector_[t]->known[threads_ + e]);
      }
    }
    base_ = latest + 1;
    std::fill(clock_.begin(), clock_.begin() + threads_, base_);
    if (finer_) drop_vectors();
  }

  // What `agent` knows now, its own past included; its later steps are no part of it. For acquire; drop it then.
  Vector* release(int agent) {
    Vector* snapshot = copy_of(agent);
    snapshot->references = 1;
    ++clock_[agent];
    return snapshot;
  }

  // `agent` learns all that `news` holds.
  void acquire(int agent, const Vector* news) {
    Vector* joined = copy_of(agent);
    for (size_t i = 0; i < joined->known.size(); ++i) joined->known[i] = std::max(joined->known[i], news->known[i]);
    adopt(agent, joined);
  }

  void drop(Vector* vector) {
    if (vector != nullptr && --vector->references <= 0) spare_.push_back(vector);
  }

  // A barrier among some agents: release by each, acquire by all, one vector for all of them.
  void meet(const int* agents, int count) {
    Vector* joined = copy_of(agents[0]);
    for (int i = 1; i < count; ++i) {
      if (vector_[agents[i]] == vector_[agents[0]]) continue;  // the usual case: they met before, or never
      for (size_t a = 0; a < joined->known.size(); ++a) {
        joined->known[a] = std::max(joined->known[a], known(agents[i], static_cast<int>(a)));
      }
    }
    for (int i = 0; i < count; ++i) joined->known[agents[i]] = std::max(joined->known[agents[i]], clock_[agents[i]]);
    for (int i = 0; i < count; ++i) {
      ++clock_[agents[i]];
      adopt(agents[i], joined);
    }
  }

  int32_t latest() const { return *std::max_element(clock_.begin(), clock_.end()); }

 private:
  int32_t known(int agent, int other) const {
    if (agent == other) return clock_[agent];
    if (vector_[agent] != nullptr) return vector_[agent]->known[other];
    return other < threads_ ? base_ - 1 : engine_base_[other - threads_];
  }

  Vector* copy_of(int agent) {
    Vector* fresh;
    if (spare_.empty()) {
      fresh = new Vector;
    } else {
      fresh = spare_.back();
      spare_.pop_back();
    }
    fresh->references = 0;
    fresh->known.resize(clock_.size());
    for (size_t a = 0; a < clock_.size(); ++a) fresh->known[a] = known(agent, static_cast<int>(a));
    return fresh;
  }

  void adopt(int agent, Vector* vector) {
    ++vector->references;
    drop(vector_[agent]);
    vector_[agent] = vector;
    finer_ = true;
  }

  void drop_vectors() {
    for (Vector*& vector : vector_) {
      drop(vector);
      vector = nullptr;
    }
    finer_ = false;
  }

  int threads_ = 0;
  int32_t base_ = 1;
  bool finer_ = false;
  std::vector<int32_t> clock_;
  std::vector<int32_t> engine_base_;
  std::vector<Vector*> vector_;
  std::vector<Vector*> spare_;
};

}  // namespace gemmgen
