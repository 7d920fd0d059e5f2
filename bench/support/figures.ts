import { spawnSync } from 'node:child_process'
import { loadavg } from 'node:os'

/** The upper median of some values; NaN if there are none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Above this load the machine is too busy to judge by: figures are only printed. */
const MAX_LOAD = 1.5

let missedGoals = 0

/** Prints what the figures depend on: the commit and the load of the machine. */
export function reportConditions(): void {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' })
  const judged = isJudgmentRefused ? `too busy to judge (over ${MAX_LOAD})` : 'goals are judged'
  console.log(`commit ${stdout.trim()}, load ${loadAtStart.toFixed(2)}: ${judged}`)
}

/** At the beginning, because the benchmarks themselves load the machine. */
const loadAtStart = loadavg()[0] ?? 0
const isJudgmentRefused = loadAtStart > MAX_LOAD

/**
 * Prints a figure beside its goal, and counts it if the goal was missed. Of the figures of several
 * rounds the median is judged, and the least and the greatest are printed beside it.
 */
export function reportFigure(
  what: string,
  measured: number | readonly number[],
  goal: { least: number } | { most: number },
) {
  const rounds = typeof measured === 'number' ? [measured] : measured
  const figure = median(rounds)
  const [met, wanted] =
    'least' in goal
      ? [figure >= goal.least, `≥ ${goal.least}`]
      : [figure <= goal.most, `≤ ${goal.most}`]
  const isMissed = !met && !isJudgmentRefused
  if (isMissed) missedGoals += 1
  const mark = isMissed ? '✗' : isJudgmentRefused ? '?' : ' '
  const spread =
    rounds.length > 1
      ? `   (${Math.min(...rounds).toFixed(2)} to ${Math.max(...rounds).toFixed(2)})`
      : ''
  console.log(
    `${mark} ${what.padEnd(52)} ${figure.toFixed(2).padStart(8)}   ${wanted.padEnd(8)}${spread}`,
  )
}

/** The number of goals missed so far. */
export const countMissedGoals = (): number => missedGoals
