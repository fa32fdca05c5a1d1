// cudaLaunchKernel: the checks that the driver makes, then the grid, block by block over the OS threads.
#pragma once

#include <dlfcn.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <thread>

#include "schedule.h"

namespace gemmgen {

constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidConfiguration = 9, kInvalidDevice = 101;
constexpr int64_t kSharedWithoutOptin = 48 * 1024;

// The session whose launcher runs on this OS thread.
static thread_local Session* current_session = nullptr;

// A function keeps its attribute as long as it is loaded, as on the device.
static std::mutex attribute_mutex;
static std::map<const void*, int64_t> shared_limits;

// Workers that no launch uses at present. Never destroyed: their tables serve the next launch.
static std::mutex pool_mutex;
static std::vector<Worker*>& worker_pool() {
  static std::vector<Worker*>* pool = new std::vector<Worker*>;
  return *pool;
}

inline Worker* borrow_worker() {
  std::lock_guard<std::mutex> lock(pool_mutex);
  std::vector<Worker*>& pool = worker_pool();
  if (pool.empty()) return new Worker;
  Worker* worker = pool.back();
  pool.pop_back();
  return worker;
}

inline void return_worker(Worker* worker) {
  std::lock_guard<std::mutex> lock(pool_mutex);
  worker_pool().push_back(worker);
}

bool Worker::prepare(Session* owner, Launch* what) {
  session = owner;
  launch = what;
  threads = what->threads;
  counting = owner->options.counts != 0 && owner->options.checks != 0;
  unchecked = owner->options.checks == 0;
  std::fill(cache.begin(), cache.end(), Site());
  infos.clear();
  reported.clear();
  counter.clear();
  fibers.assign(threads, Fiber());
  const uint32_t* size = what->record.block;
  for (uint32_t t = 0; t < static_cast<uint32_t>(threads); ++t) {
    fibers[t].index = {t % size[0], t / size[0] % size[1], t / size[0] / size[1]};
  }
  return stacks.ensure(threads) && shared_memory.ensure(SharedShadow::kBytes + 2 * SharedShadow::kSlack) &&
         shadow.prepare(what->record.shared_bytes, threads);
}

void Worker::begin_block(int64_t number) {
  block = number;
  const uint32_t* grid = launch->record.grid;
  block_index = {static_cast<uint32_t>(number % grid[0]), static_cast<uint32_t>(number / grid[0] % grid[1]),
                 static_cast<uint32_t>(number / grid[0] / grid[1])};
  if (next_stamp > kLastStamp) {
    shadow.forget_stamps();
    next_stamp = 1;
  }
  arrived = finished = 0;
  clocks.reset(threads, 0, next_stamp);
  hot.base4 = four(next_stamp);
  shadow.begin_block();
  // Shared memory holds anything at first; NaN shows itself.
  std::memset(hot.shared, 0xff, launch->record.shared_bytes);
  if (counting) counter.begin_block(threads);
  for (int t = 0; t < threads; ++t) {
    fibers[t].state = kReady;
    fibers[t].marks = 0;
    fibers[t].stack_pointer = stacks.fresh(t);
  }
}

void Worker::run_blocks() {
  const Hot outside = hot;
  hot.sites = cache.data();
  hot.shared = shared_memory.as<uint8_t>() + SharedShadow::kSlack;
  hot.write_stamp = shadow.write_stamps.as<int32_t>();
  hot.read_stamp = shadow.read_stamps.as<int32_t>();
  hot.write_origin = shadow.write_origins.as<uint32_t>();
  hot.read_origin = shadow.read_origins.as<uint32_t>();
  hot.worker = this;
  while (!session->stop) {
    const int64_t number = launch->next_block.fetch_add(1);
    if (number >= launch->blocks) break;
    begin_block(number);
    enter_thread(*this, 0);
    gemmgen_switch_stack(&scheduler_stack, fibers[0].stack_pointer);
    next_stamp = clocks.latest() + 1;
    if (counting) counter.flush();
  }
  hot = outside;
}

// Makes the running thread's next access take the slow path, which asks for the time. Called by another OS thread: a
// site's address is one word, so that the running thread sees the old or the new one.
void Worker::interrupt() {
  for (Site& entry : cache) __atomic_store_n(&entry.site, 0, __ATOMIC_RELAXED);
}

void Session::cancel() {
  std::lock_guard<std::mutex> lock(mutex);
  expired = stop = true;
  for (Worker* worker : running) worker->interrupt();
}

inline void set_running(Session& session, const std::vector<Worker*>& workers) {
  std::lock_guard<std::mutex> lock(session.mutex);
  session.running = workers;
}

// Hands the counts over to the session.
void Worker::finish() {
  std::lock_guard<std::mutex> lock(session->mutex);
  const std::vector<AccessTotals>& mine = counter.totals();
  if (mine.size() > session->totals.size()) session->totals.resize(mine.size());
  for (size_t site = 0; site < mine.size(); ++site) session->totals[site].add(mine[site]);
}

// Runs the workers; when that takes longer than the session allows, whatever still runs is ended.
inline void run_workers(Session& session, const std::vector<Worker*>& workers) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::thread watch;
  if (session.options.timeout > 0) {
    watch = std::thread([&] {
      std::unique_lock<std::mutex> lock(mutex);
      std::chrono::duration<double> patience(session.options.timeout);
      while (!changed.wait_for(lock, patience, [&] { return done; })) {
        session.expired = session.stop = true;
        for (Worker* worker : workers) worker->interrupt();
        patience = std::chrono::milliseconds(5);
      }
    });
  }
  std::vector<std::thread> others;
  for (size_t i = 1; i < workers.size(); ++i) others.emplace_back([worker = workers[i]] { worker->run_blocks(); });
  workers[0]->run_blocks();
  for (std::thread& other : others) other.join();
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  changed.notify_all();
  if (watch.joinable()) watch.join();
}

inline int run_grid(Session& session, Launch& launch) {
  // A mapping per stack and guard page: the system allows 65,530 of them.
  const int64_t most = std::max<int64_t>(1, 48000 / (2 * launch.threads));
  const int64_t wanted = std::min<int64_t>({std::max(1, session.options.threads), launch.blocks, most});
  std::vector<Worker*> workers;
  bool prepared = true;
  for (int64_t i = 0; i < wanted; ++i) {
    workers.push_back(borrow_worker());
    prepared = workers.back()->prepare(&session, &launch) && prepared;
  }
  set_running(session, workers);
  if (prepared) run_workers(session, workers);
  set_running(session, {});
  for (Worker* worker : workers) {
    worker->finish();
    return_worker(worker);
  }
  return prepared ? 0 : kOutOfMemory;
}

// What the driver would refuse.
inline int launch_error(const Session& session, const Launch& launch) {
  const LaunchRecord& record = launch.record;
  uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (record.grid[i] == 0 || record.block[i] == 0) return kInvalidConfiguration;
    threads *= record.block[i];
    if (threads > 1024 || record.block[2] > 64) return kInvalidConfiguration;
  }
  if (record.grid[0] > 2147483647u || record.grid[1] > 65535 || record.grid[2] > 65535) return kInvalidConfiguration;
  int64_t limit = kSharedWithoutOptin;
  std::lock_guard<std::mutex> lock(attribute_mutex);
  const auto set = shared_limits.find(launch.kernel);
  if (set != shared_limits.end()) limit = std::max(limit, set->second);
  return record.shared_bytes > std::min<int64_t>(limit, session.options.shared_optin) ? kInvalidValue : 0;
}

inline void name_kernel(LaunchRecord& record, const void* kernel) {
  Dl_info info;
  const bool known = dladdr(kernel, &info) != 0 && info.dli_sname != nullptr;
  std::strncpy(record.kernel, known ? info.dli_sname : "(unnamed kernel)", sizeof(record.kernel) - 1);
}

inline int failed(Session& session, int error) {
  if (error != 0) session.last_error = error;
  return error;
}

}  // namespace gemmgen

extern "C" int gemmgen_launch(const void* kernel, const unsigned* grid, const unsigned* block, void* const* arguments,
                              const unsigned* argument_bytes, int argument_count, size_t shared_bytes,
                              void (*invoke)(const void*, void* const*)) {
  using namespace gemmgen;
  if (current_session == nullptr) return kInvalidDevice;
  Session& session = *current_session;
  Launch launch;
  launch.record = {};
  name_kernel(launch.record, kernel);
  std::memcpy(launch.record.grid, grid, sizeof(launch.record.grid));
  std::memcpy(launch.record.block, block, sizeof(launch.record.block));
  launch.record.shared_bytes = static_cast<int64_t>(shared_bytes);
  launch.record.argument_count = argument_count;
  launch.record.arguments_offset = static_cast<int64_t>(session.arguments.size());
  launch.number = static_cast<int>(session.launches.size());
  launch.kernel = kernel;
  launch.invoke = invoke;
  launch.threads = static_cast<int>(block[0] * block[1] * block[2]);
  launch.blocks = static_cast<int64_t>(grid[0]) * grid[1] * grid[2];
  for (int i = 0; i < argument_count; ++i) {
    const uint8_t* value = static_cast<const uint8_t*>(arguments[i]);
    const uint8_t* size = reinterpret_cast<const uint8_t*>(&argument_bytes[i]);
    session.arguments.insert(session.arguments.end(), size, size + 4);
    session.arguments.insert(session.arguments.end(), value, value + argument_bytes[i]);
    launch.arguments.push_back(arguments[i]);
  }
  launch.record.error = launch_error(session, launch);
  if (launch.record.error == 0) launch.record.error = run_grid(session, launch);
  session.launches.push_back(launch.record);
  return failed(session, launch.record.error);
}

extern "C" int gemmgen_set_shared_limit(const void* kernel, int bytes) {
  using namespace gemmgen;
  if (current_session == nullptr) return kInvalidDevice;
  if (bytes < 0 || bytes > current_session->options.shared_optin) return failed(*current_session, kInvalidValue);
  std::lock_guard<std::mutex> lock(attribute_mutex);
  shared_limits[kernel] = bytes;
  return 0;
}

extern "C" int gemmgen_last_error(int clear) {
  using namespace gemmgen;
  if (current_session == nullptr) return kInvalidDevice;
  const int error = current_session->last_error;
  if (clear) current_session->last_error = 0;
  return error;
}

extern "C" int gemmgen_device_attribute(int* value, int attribute, int device) {
  using namespace gemmgen;
  if (current_session == nullptr || device != 0) return kInvalidDevice;
  const OptionsRecord& options = current_session->options;
  switch (attribute) {
    case 1: *value = 1024; return 0;
    case 8: *value = static_cast<int>(kSharedWithoutOptin); return 0;
    case 10: *value = kLanes; return 0;
    case 16: *value = options.multiprocessors; return 0;
    case 75: *value = options.capability / 10; return 0;
    case 76: *value = options.capability % 10; return 0;
    case 97: *value = options.shared_optin; return 0;
    default: return failed(*current_session, kInvalidValue);
  }
}
