/** The value in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

let missed = 0

/** Prints a figure beside its goal, and remembers whether it was missed. */
export function tell(what: string, figure: number, goal: { least: number } | { most: number }) {
  const [met, wanted] =
    'least' in goal
      ? [figure >= goal.least, `≥ ${goal.least}`]
      : [figure <= goal.most, `≤ ${goal.most}`]
  if (!met) missed += 1
  console.log(`${met ? ' ' : '✗'} ${what.padEnd(52)} ${figure.toFixed(2).padStart(8)}   ${wanted}`)
}

/** How many goals were missed so far. */
export const misses = (): number => missed
