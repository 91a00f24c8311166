// Waiting between tries: each step with jitter, so that many devices do not come back in the same instant.

/** ms before the n-th try again, n from 0; the last step repeats. */
export type Steps = readonly [number, ...number[]];

/** Answers and orders: the same bytes again until the machine speaks. */
export const RESEND: Steps = [100, 1000, 2000, 4000, 8000, 15_000];
/** A lost connection. */
export const RECONNECT: Steps = [250, 1000, 2000, 4000, 8000, 15_000];
/** A machine that does not listen. */
export const GREET: Steps = [1000, 2000, 4000, 8000, 15_000];

export function delay(steps: Steps, n: number): number {
  const step = steps[Math.min(n, steps.length - 1)] ?? steps[0];
  return Math.round(step * (0.8 + 0.4 * Math.random()));
}

/** Resolves after ms, or at once when woken. */
export class Sleep {
  private wakers = new Set<() => void>();

  async for(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.wakers.add(wake);
    });
  }

  wake(): void {
    for (const wake of [...this.wakers]) wake();
  }
}
