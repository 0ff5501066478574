/* Threads that share the steps of a loop, for all kernels of a process. Why not OpenMP: its threads
   spin while they wait, which makes all of them late beside other work, and after a fork the child
   waits for threads that it does not have. Here a thread that waits sleeps, nobody waits for a
   thread that has not begun, and a forked child starts its own. Without threads (compiler.h) the
   caller does every step. */
#ifndef REFIMPL_POOL_H
#define REFIMPL_POOL_H

#include <stddef.h>

#include <algorithm>

#include "compiler.h"

#if REFIMPL_THREADS
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "grain.h"

/* a child of a fork has none of its parent's threads */
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define REFIMPL_FORKS 1
#else
#define REFIMPL_FORKS 0
#endif
#endif

namespace refimpl {

/* Steps may throw std::bad_alloc, and nothing else. */
typedef void (*Steps)(void* loop, ptrdiff_t first, ptrdiff_t last, int thread);

#if REFIMPL_THREADS
typedef std::chrono::steady_clock Clock;

/* One loop: step i is done by whoever takes the chunk that holds it. */
struct Job {
    Steps steps;
    void* loop;
    ptrdiff_t n, chunk;
    std::atomic<ptrdiff_t> next{0};
    std::atomic<bool> failed{false};
    int wanted;     /* helpers that may still join */
    int joined = 0; /* helpers that have joined: their numbers are 1, 2, ... */
    int inside = 0; /* helpers that have not finished */
    std::condition_variable finished;

    /* Take chunks until none is left; return how many steps that were. */
    ptrdiff_t work(int thread) {
        ptrdiff_t done = 0;
        for (;;) {
            const ptrdiff_t first = next.fetch_add(chunk, std::memory_order_relaxed);
            if (first >= n) return done;
            const ptrdiff_t last = std::min(n, first + chunk);
            try {
                steps(loop, first, last, thread);
            } catch (...) {
                failed.store(true);
                next.store(n);
            }
            done += last - first;
        }
    }
};

class Pool {
    std::mutex mutex;
    std::condition_variable work_to_do;
    std::vector<Job*> jobs; /* those that want helpers */
    int helpers = 0;        /* threads of the pool */
    /* Helpers that made a loop no faster are given up until `again`; each time for longer. */
    std::atomic<Clock::rep> again{0};
    std::atomic<Clock::rep> pause{0};

    void help() {
        try {
            /* take now what a thread needs to throw: there may be no memory for it later */
            throw 0;
        } catch (int) {
        }
        std::unique_lock<std::mutex> lock(mutex);
        for (;;) {
            work_to_do.wait(lock, [this] { return !jobs.empty(); });
            Job* job = jobs.front();
            const int thread = ++job->joined;
            ++job->inside;
            if (--job->wanted == 0) jobs.erase(jobs.begin());
            lock.unlock();
            job->work(thread);
            lock.lock();
            /* under the lock: the job may go right after it */
            if (--job->inside == 0) job->finished.notify_one();
        }
    }

    bool start_helper() {
        try {
            std::thread([this] { help(); }).detach();
            ++helpers;
            return true;
        } catch (const std::system_error&) { /* no more threads to be had: fewer do as well */
            return false;
        }
    }

    void judge(Clock::duration whole, Clock::duration mine, ptrdiff_t done, ptrdiff_t n) {
        /* alone it would have taken mine * n / done */
        const auto four = std::chrono::milliseconds(4);
        const Clock::rep least = std::chrono::duration_cast<Clock::duration>(four).count();
        const Clock::rep most = 64 * least;
        const double steps = double(std::max<ptrdiff_t>(done, 1));
        const double alone = double(mine.count()) * double(n) / steps;
        if (double(whole.count()) > 0.95 * alone) {
            const Clock::rep twice = 2 * pause.load(std::memory_order_relaxed);
            const Clock::rep length = std::min(most, std::max(least, twice));
            pause.store(length, std::memory_order_relaxed);
            const Clock::rep now = Clock::now().time_since_epoch().count();
            again.store(now + length, std::memory_order_relaxed);
        } else if (double(whole.count()) < 0.8 * alone) {
            pause.store(pause.load(std::memory_order_relaxed) / 2, std::memory_order_relaxed);
        }
    }

public:
    /* Do steps 0 to n - 1 on up to `threads` threads, of which the caller is one. Throw if memory
       ran out in a thread. */
    void run(Steps steps, void* loop, ptrdiff_t n, ptrdiff_t chunk, int threads) {
        Job job;
        job.steps = steps, job.loop = loop, job.n = n, job.chunk = chunk, job.wanted = threads - 1;
        const Clock::time_point start = Clock::now();
        if (start.time_since_epoch().count() < again.load(std::memory_order_relaxed)) {
            job.work(0);
            if (job.failed) throw std::bad_alloc();
            return;
        }
        {
            std::lock_guard<std::mutex> lock(mutex);
            while (helpers < threads - 1 && start_helper()) {}
            jobs.push_back(&job);
        }
        for (int i = 1; i < threads; ++i) work_to_do.notify_one();
        const ptrdiff_t done = job.work(0);
        const Clock::time_point mine = Clock::now();
        {
            std::unique_lock<std::mutex> lock(mutex);
            const auto place = std::find(jobs.begin(), jobs.end(), &job);
            /* who has not begun need not come any more */
            if (place != jobs.end()) jobs.erase(place);
            job.finished.wait(lock, [&job] { return job.inside == 0; });
        }
        if (job.failed) throw std::bad_alloc();
        if (REFIMPL_JUDGES && job.joined) judge(Clock::now() - start, mine - start, done, n);
    }
};

/* The pool of this process. It is never destroyed: its threads may outlive everything. */
static std::atomic<Pool*> the_pool{nullptr};

static Pool* pool() {
    Pool* found = the_pool.load();
    if (found) return found;
#if REFIMPL_FORKS
    /* a child starts with a new pool */
    static std::once_flag once;
    std::call_once(once, [] { pthread_atfork(nullptr, nullptr, [] { the_pool.store(nullptr); }); });
#endif
    Pool* fresh = new Pool;
    if (the_pool.compare_exchange_strong(found, fresh)) return fresh;
    delete fresh;
    return found;
}
#endif

static inline void run(Steps steps, void* loop, ptrdiff_t n, ptrdiff_t chunk, int threads) {
    if (n <= 0) return;
    chunk = std::max<ptrdiff_t>(1, chunk);
    threads = int(std::min<ptrdiff_t>(threads, (n + chunk - 1) / chunk));
#if REFIMPL_THREADS
    if (threads > 1) return pool()->run(steps, loop, n, chunk, threads);
#endif
    steps(loop, 0, n, 0);
}

}  // namespace refimpl

#endif
