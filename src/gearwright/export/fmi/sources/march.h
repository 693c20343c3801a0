/* The integrator of Co-Simulation: Dormand and Prince 5(4), error-controlled, with the roots of guards.

   A step over an event is taken again with the length at which the first guard reaches zero, so that the state there
   is as exact as any other. */

#define LONGEST_STEP 0.02    /* [s] with guards, so that no event is missed */
#define MOST_STEPS 1000000   /* in one communication step */

/* One step of length h from the point, whose rates are step->k[0]: the new state, the rates there and the error. */
static int stepped(Model *model, double h, Step *step)
{
  static const double c[7] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
  static const double b[7][6] = {
      {0, 0, 0, 0, 0, 0},
      {1. / 5, 0, 0, 0, 0, 0},
      {3. / 40, 9. / 40, 0, 0, 0, 0},
      {44. / 45, -56. / 15, 32. / 9, 0, 0, 0},
      {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729, 0, 0},
      {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656, 0},
      {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
  static const double e[7] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
  const double *x = model->now.x, tolerance = model->now.tolerance;
  double sum = 0.0;
  int i, j, s;
  for (s = 1; s < 7; ++s) {
    for (i = 0; i < N_STATES; ++i) {
      double slope = 0.0;
      for (j = 0; j < s; ++j) slope += b[s][j] * step->k[j][i];
      step->x[i] = x[i] + h * slope;
    }
    if (!rates_at(model, model->now.t + c[s] * h, step->x, step->k[s])) return 0;
  }
  for (i = 0; i < N_STATES; ++i) {
    double error = 0.0;
    for (s = 0; s < 7; ++s) error += e[s] * step->k[s][i];
    error *= h / (tolerance * (0.01 + fmax(fabs(x[i]), fabs(step->x[i]))));
    sum += error * error;
  }
  step->error = sqrt(sum / N_STATES);
  return 1;
}

/* The lowest indicator after a step of length h; above zero as long as all modes last. */
static int lowest_after(Model *model, double h, Step *step, double *lowest)
{
  double levels[N_GUARDS + 1];
  int g;
  if (!stepped(model, h, step) || !indicators(model, model->now.t + h, step->x, levels)) return 0;
  *lowest = HUGE_VAL;
  for (g = 0; g < N_GUARDS; ++g) *lowest = fmin(*lowest, levels[g]);
  return 1;
}

/* Within a step that was taken: where a cubic interpolation of a guard is below zero; 0 for none. */
static int crossing(Model *model, const Step *step, double h, double *before, double *after)
{
  double x[N_STATES], levels[N_GUARDS + 1];
  int i, g, look;
  for (look = 1; look <= EVENT_CHECKS_PER_STEP; ++look) {
    const double s = (double)look / EVENT_CHECKS_PER_STEP, r = 1.0 - s;
    for (i = 0; i < N_STATES; ++i)
      x[i] = look == EVENT_CHECKS_PER_STEP ? step->x[i]
                           : r * r * (1 + 2 * s) * model->now.x[i] + s * s * (1 + 2 * r) * step->x[i]
                                 + h * s * r * (r * step->k[0][i] - s * step->k[6][i]);
    if (!indicators(model, model->now.t + s * h, x, levels)) return -1;
    for (g = 0; g < N_GUARDS; ++g)
      if (levels[g] < 0.0) {
        *before = (double)(look - 1) / EVENT_CHECKS_PER_STEP * h;
        *after = s * h;
        return 1;
      }
  }
  return 0;
}

/* The length of the step that ends just behind the first event between two lengths; -1 for none. */
static int located(Model *model, Step *step, double low, double high, double *length)
{
  double begin, end, middle, level;
  const double least = 4e-16 * fmax(fabs(model->now.t), 1e-3);
  int k, side = 0;
  if (!lowest_after(model, high, step, &end)) return 0;
  if (end >= 0.0) { /* the cubic interpolation was wrong */
    *length = -1.0;
    return 1;
  }
  if (!lowest_after(model, low, step, &begin)) return 0;
  for (k = 1; begin <= 0.0 && k < 40; ++k) { /* it starts at zero: it may have increased before it decreased */
    middle = low + (high - low) * pow(0.5, k);
    if (!lowest_after(model, middle, step, &begin)) return 0;
    if (begin > 0.0) low = middle;
  }
  if (begin <= 0.0) high = low;
  for (k = 0; k < 200 && high - low > least; ++k) { /* false position, with bisection if it stalls */
    middle = k % 3 == 2 ? 0.5 * (low + high) : low + (high - low) * begin / (begin - end);
    if (!(middle > low && middle < high)) middle = 0.5 * (low + high);
    if (!lowest_after(model, middle, step, &level)) return 0;
    if (level > 0.0) {
      low = middle;
      begin = level;
      if (side == 1) end *= 0.5;
      side = 1;
    } else {
      high = middle;
      end = level;
      if (side == 2) begin *= 0.5;
      side = 2;
    }
  }
  *length = high;
  return stepped(model, high, step);
}

static double first_step(const Model *model, const double *rates)
{
  double size = 0.0, speed = 0.0;
  int i;
  for (i = 0; i < N_STATES; ++i) {
    const double scale = 0.01 + fabs(model->now.x[i]);
    size = fmax(size, fabs(model->now.x[i]) / scale);
    speed = fmax(speed, fabs(rates[i]) / scale);
  }
  return fmin(1e-3, 1e-3 * fmax(size, 1e-2) / fmax(speed, 1e-6));
}

static void move_to(Model *model, double t, const double *x)
{
  int k;
  for (k = 0; k < N_INPUTS; ++k) model->now.u[k] += model->now.slope[k] * (t - model->now.t);
  model->now.t = t;
  memcpy(model->now.x, x, sizeof model->now.x);
  model->fresh = 0;
}

/* Integrate to a time; events change modes. */
static int marched(Model *model, double until)
{
  Point *now = &model->now;
  Step *step = &model->step;
  int steps = 0, still = 0, restart = 1;
  if (!settled(model)) return 0;
  while (now->t < until) {
    double h, before, after, length = -1.0;
    int event = 0;
    if (++steps > MOST_STEPS) {
      model->trouble = "a million steps did not complete the communication step: the model is too stiff";
      return 0;
    }
    if (restart && !rates_at(model, now->t, now->x, step->k[0])) return 0;
    if (now->step <= 0.0) now->step = first_step(model, step->k[0]);
    if (N_GUARDS > 0) now->step = fmin(now->step, LONGEST_STEP);
    h = fmin(now->step, until - now->t);
    restart = 0;
    if (!stepped(model, h, step) || !(step->error < 1e6)) step->error = 1e6;
    if (step->error > 1.0) {
      now->step = h * fmax(0.1, 0.9 * pow(step->error, -0.2));
      if (!(now->step > 4e-16 * fabs(now->t)) || now->step < 1e-18) {
        if (model->trouble == NULL) model->trouble = "the step became too small";
        return 0;
      }
      continue;
    }
    if (N_GUARDS > 0) event = crossing(model, step, h, &before, &after);
    if (event < 0) return 0;
    if (event && !located(model, step, before, after, &length)) return 0;
    if (length >= 0.0) {
      if (length > 0.0) move_to(model, now->t + length, step->x);
      still = length > 0.0 ? 0 : still + 1;
      if (!settled(model)) return 0;
      if (still > MAX_EVENTS_WITHOUT_PROGRESS) {
        model->trouble = "chattering: events repeat without progress in time";
        return 0;
      }
      restart = 1;
      continue;
    }
    if (event && !stepped(model, h, step)) return 0;
    after = h * fmin(5.0, fmax(0.2, 0.9 * pow(fmax(step->error, 1e-10), -0.2)));
    now->step = h < now->step ? fmax(now->step, after) : after; /* a step shortened by an event does not limit the next */
    move_to(model, until - now->t <= h ? until : now->t + h, step->x);
    memcpy(step->k[0], step->k[6], sizeof step->k[0]);
  }
  return 1;
}
