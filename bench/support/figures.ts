/** The upper median of some values; NaN if there are none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

let missedGoals = 0

/** Prints a figure beside its goal, and counts it if the goal was missed. */
export function reportFigure(
  what: string,
  figure: number,
  goal: { least: number } | { most: number },
) {
  const [met, wanted] =
    'least' in goal
      ? [figure >= goal.least, `≥ ${goal.least}`]
      : [figure <= goal.most, `≤ ${goal.most}`]
  if (!met) missedGoals += 1
  console.log(`${met ? ' ' : '✗'} ${what.padEnd(52)} ${figure.toFixed(2).padStart(8)}   ${wanted}`)
}

/** The number of goals missed so far. */
export const countMissedGoals = (): number => missedGoals
