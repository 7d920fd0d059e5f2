import type { ChangePosition } from '../../replica/local-replica.ts'

const POSITION = /^(\d+)\.(.*)$/s

/** The place that a position of the feed names (docs/spec/api.md#change-numbers). */
export function parsePosition(position: string): ChangePosition {
  const [, number = Number.NaN, history = ''] = POSITION.exec(position) ?? []
  return { n: Number(number), history }
}

export const formatPosition = ({ n, history }: ChangePosition): string => `${n}.${history}`

/** Whether all of the changes up to a position were told; within one it has no number. */
export const isBetweenChanges = (position: string): boolean => POSITION.test(position)
