import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChangeStep, pickNeededSteps } from './change-steps.ts'

/** Adds a step at each of the moments, as the changes of a task arrive, and returns what is kept. */
function keep(
  moments: readonly number[],
  {
    requestedAt = [0],
    isLoading = false,
    heldSince = Number.NEGATIVE_INFINITY,
    immediate = [] as readonly number[],
  },
): number[] {
  let steps: readonly ChangeStep[] = []
  for (const at of moments)
    steps = pickNeededSteps(
      [...steps, { at, previousTask: undefined, isImmediate: immediate.includes(at) }],
      { requestedAt, isLoading },
      heldSince,
    )
  return steps.map(({ at }) => at)
}

test('of many changes of a task only the first since each index is kept', () => {
  assert.deepEqual(keep([1, 2, 3, 4, 5, 6], {}), [1])
  assert.deepEqual(keep([1, 2, 3, 4, 5, 6], { requestedAt: [0, 3, 9] }), [1, 3])
  assert.deepEqual(keep([1, 2], { requestedAt: [3] }), [])
})

test('all changes are kept that an index may lack which is being requested', () => {
  assert.deepEqual(keep([1, 2, 3, 4], { requestedAt: [2], isLoading: true }), [2, 3, 4])
})

test('what lists show while the person interacts stays', () => {
  assert.deepEqual(keep([1, 2, 4, 5, 6], { heldSince: 3 }), [1, 2, 4])
  // Another index was loaded meanwhile, which they show later.
  assert.deepEqual(keep([1, 4, 5, 6], { requestedAt: [3], heldSince: 2 }), [1, 4])
})

test('of the changes that are shown at once none takes the place of one that waits', () => {
  assert.deepEqual(keep([1, 4, 5, 6, 7], { heldSince: 3, immediate: [4, 6] }), [1, 5])
  assert.deepEqual(keep([4, 5, 6], { heldSince: 3, immediate: [4] }), [4, 5])
})
