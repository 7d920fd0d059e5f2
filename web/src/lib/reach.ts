import { readSince } from './kept-replies.ts'
import { Unreachable } from './problem.ts'

/** A reply of whatever status; `Unreachable` where none comes. */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    const reply = await fetch(url, init)
    readSince.set(undefined)
    return reply
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new Unreachable(error)
  }
}
