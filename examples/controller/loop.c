/* A 1-kHz loop with the C package of a robot: computed torque with the exact dynamics, rotors included.

   Every cycle reads the joints, computes the acceleration that the reference and its errors ask for, turns it into torques
   with elbow_inverse_dynamics and sends them. Nothing is allocated and nothing iterates to a tolerance, so a cycle always
   takes the same operations. Build it beside a package written by

     gearwright export elbow --to c -o elbow_c --function inverse_dynamics --function forward_dynamics
     cc -std=c99 -O2 -Ielbow_c loop.c elbow_c/elbow.c -lm -o loop

   With -DREAL_TIME it waits for each millisecond (POSIX): memory is locked and the thread has the highest priority of
   the scheduler SCHED_FIFO, where the system permits both, and the jitter is measured. The latency of a cycle is the time
   from its deadline to its begin; an overrun is a cycle that ends after the next deadline. The robot here is
   elbow_forward_dynamics; on a real one the functions read_joints and send_torques talk to the drives instead. */
#define _POSIX_C_SOURCE 200112L
#include "elbow.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#ifdef REAL_TIME
#include <sched.h>
#include <sys/mman.h>
#endif

enum { N = ELBOW_V_SIZE, CYCLES = 1000, STEPS = 20 };
static const double PERIOD = 1e-3, STIFFNESS = 400.0, DAMPING = 40.0; /* both poles at -20 rad/s */

static double robot_q[N], robot_v[N]; /* the true state of the robot, measured by the controller */

static void read_joints(double *q, double *v)
{
  for (int k = 0; k < N; ++k) {
    q[k] = robot_q[k];
    v[k] = robot_v[k];
  }
}

static void send_torques(const double *tau)
{
  double a[N];
  for (int step = 0; step < STEPS; ++step) {
    elbow_forward_dynamics(robot_q, robot_v, tau, a);
    for (int k = 0; k < N; ++k) {
      robot_v[k] += PERIOD / STEPS * a[k];
      robot_q[k] += PERIOD / STEPS * robot_v[k];
    }
  }
}

static void reference(double t, double *q, double *v, double *a)
{
  for (int k = 0; k < N; ++k) {
    const double size = 0.3 * (k + 1), w = 4.0;
    q[k] = size * (1.0 - cos(w * t));
    v[k] = size * w * sin(w * t);
    a[k] = size * w * w * cos(w * t);
  }
}

#ifdef REAL_TIME
static double latency[CYCLES], duration[CYCLES]; /* of each cycle, in seconds */

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
  return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

static void prepare(void)
{
  struct sched_param highest;
  highest.sched_priority = sched_get_priority_max(SCHED_FIFO);
  const int fixed = sched_setscheduler(0, SCHED_FIFO, &highest) == 0;
  const int locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  printf("priority %s, memory %s\n", fixed ? "fixed" : "shared", locked ? "locked" : "not locked");
}

static struct timespec deadline(const struct timespec *start, int cycle)
{
  struct timespec next = *start;
  next.tv_nsec += (cycle % 1000) * 1000000L;
  next.tv_sec += cycle / 1000 + next.tv_nsec / 1000000000L;
  next.tv_nsec %= 1000000000L;
  return next;
}

static void wait_for(const struct timespec *start, int cycle)
{
  struct timespec now, next = deadline(start, cycle);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
  clock_gettime(CLOCK_MONOTONIC, &now);
  latency[cycle] = seconds_between(&next, &now);
}

static void end_cycle(const struct timespec *start, int cycle)
{
  struct timespec now, begin = deadline(start, cycle);
  clock_gettime(CLOCK_MONOTONIC, &now);
  duration[cycle] = seconds_between(&begin, &now) - latency[cycle];
}

static void report(void)
{
  double mean_latency = 0.0, worst_latency = 0.0, mean_duration = 0.0, worst_duration = 0.0;
  int overruns = 0;
  for (int k = 0; k < CYCLES; ++k) {
    mean_latency += latency[k] / CYCLES;
    mean_duration += duration[k] / CYCLES;
    worst_latency = fmax(worst_latency, latency[k]);
    worst_duration = fmax(worst_duration, duration[k]);
    overruns += latency[k] + duration[k] > PERIOD;
  }
  printf("wake-up latency %.1f us on average, %.1f us at most\n", 1e6 * mean_latency, 1e6 * worst_latency);
  printf("cycle %.1f us on average, %.1f us at most, %d overruns\n", 1e6 * mean_duration, 1e6 * worst_duration, overruns);
}
#else
static void prepare(void) {}
static void report(void) {}

static void wait_for(const struct timespec *start, int cycle)
{
  (void)start;
  (void)cycle;
}

static void end_cycle(const struct timespec *start, int cycle)
{
  (void)start;
  (void)cycle;
}
#endif

int main(void)
{
  double q[N], v[N], a[N], wanted_q[N], wanted_v[N], tau[N], worst = 0.0;
  struct timespec start;
  prepare();
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int cycle = 0; cycle < CYCLES; ++cycle) {
    wait_for(&start, cycle);
    read_joints(q, v);
    reference(cycle * PERIOD, wanted_q, wanted_v, a);
    for (int k = 0; k < N; ++k) {
      worst = fmax(worst, fabs(wanted_q[k] - q[k]));
      a[k] += STIFFNESS * (wanted_q[k] - q[k]) + DAMPING * (wanted_v[k] - v[k]);
    }
    elbow_inverse_dynamics(q, v, a, tau);
    send_torques(tau);
    end_cycle(&start, cycle);
  }
  report();
  printf("largest tracking error %.2e rad\n", worst);
  return worst < 2e-4 ? 0 : 1;
}
