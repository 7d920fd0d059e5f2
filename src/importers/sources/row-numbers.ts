import { giveWay } from '#lib/turns.ts'

/** A record of a file that becomes one row or more. */
export interface RowPlace {
  rows: number
}

const CHUNK_SIZE = 1_000

/**
 * The number of each record's first row where another order than that of the file counts: the one
 * that people see in the other tool.
 */
export async function numberRows<T extends RowPlace>(
  places: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<number[]> {
  const numbers = new Array<number>(places.length)
  let number = 1
  for (const at of await sortPlaces(places, compare)) {
    numbers[at] = number
    number += places[at]?.rows ?? 1
  }
  return numbers
}

/**
 * The places of the elements of a list in another order. Sorts in slices, because a file may have a
 * hundred thousand records; of equal elements the first stays first.
 */
export async function sortPlaces<T>(
  list: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<number[]> {
  const comparePlaces = (a: number, b: number) => compareAt(list, compare, a, b)
  let runs: number[][] = []
  for (let from = 0; from < list.length; from += CHUNK_SIZE) {
    const length = Math.min(CHUNK_SIZE, list.length - from)
    runs.push(Array.from({ length }, (_, at) => from + at).toSorted(comparePlaces))
    await giveWay()
  }
  while (runs.length > 1) {
    const merged: number[][] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await mergeRuns(runs[at] ?? [], runs[at + 1] ?? [], comparePlaces))
    runs = merged
  }
  return runs[0] ?? []
}

function compareAt<T>(
  places: readonly T[],
  compare: (a: T, b: T) => number,
  a: number,
  b: number,
): number {
  const [first, second] = [places[a], places[b]]
  return first === undefined || second === undefined ? 0 : compare(first, second)
}

async function mergeRuns(
  first: readonly number[],
  second: readonly number[],
  compare: (a: number, b: number) => number,
): Promise<number[]> {
  const merged: number[] = []
  let [at, other] = [0, 0]
  while (at < first.length && other < second.length) {
    const [a = 0, b = 0] = [first[at], second[other]]
    if (compare(a, b) <= 0) {
      merged.push(a)
      at += 1
    } else {
      merged.push(b)
      other += 1
    }
    if (merged.length % CHUNK_SIZE === 0) await giveWay()
  }
  return [...merged, ...first.slice(at), ...second.slice(other)]
}
