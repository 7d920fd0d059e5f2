import { hash } from 'node:crypto'

const WORDS_PER_SLOT = 4
const INITIAL_SIZE = 1 << 12
const MAX_LOAD_FACTOR = 0.6

/**
 * Numbers strings in the order in which they are added. Takes about 60 bytes for a string of any
 * length; a Map with a million ids would take a quarter of a gigabyte. Strings are compared by 128
 * bits of their SHA-256.
 */
export class StringInterner {
  #size = INITIAL_SIZE
  #slots = new Uint32Array(INITIAL_SIZE * WORDS_PER_SLOT)
  #numbers = new Uint32Array(INITIAL_SIZE)
  count = 0

  /** Gives the string the next number, from 0 on. Returns undefined if it already has one. */
  add(text: string): number | undefined {
    if (this.count > this.#size * MAX_LOAD_FACTOR) this.#grow()
    const words = hashWords(text)
    const at = this.#find(words)
    if (this.#numbers[at] !== 0) return undefined
    this.#slots.set(words, at * WORDS_PER_SLOT)
    this.count += 1
    this.#numbers[at] = this.count
    return this.count - 1
  }

  /** The number of a string; undefined if it was not added. */
  numberOf(text: string): number | undefined {
    const number = this.#numbers[this.#find(hashWords(text))] ?? 0
    return number === 0 ? undefined : number - 1
  }

  /** The slot that holds it, or the free one where it belongs. */
  #find(words: Uint32Array): number {
    let at = (words[0] ?? 0) % this.#size
    while (this.#numbers[at] !== 0 && !this.#isAt(at, words)) at = (at + 1) % this.#size
    return at
  }

  #isAt(at: number, words: Uint32Array): boolean {
    return words.every((word, n) => this.#slots[at * WORDS_PER_SLOT + n] === word)
  }

  #grow(): void {
    const [slots, numbers] = [this.#slots, this.#numbers]
    this.#size *= 2
    this.#slots = new Uint32Array(this.#size * WORDS_PER_SLOT)
    this.#numbers = new Uint32Array(this.#size)
    for (const [from, number] of numbers.entries()) {
      if (number === 0) continue
      const words = slots.subarray(from * WORDS_PER_SLOT, (from + 1) * WORDS_PER_SLOT)
      const at = this.#find(words)
      this.#slots.set(words, at * WORDS_PER_SLOT)
      this.#numbers[at] = number
    }
  }
}

function hashWords(text: string): Uint32Array {
  const digest = hash('sha256', text, 'buffer')
  return Uint32Array.from({ length: WORDS_PER_SLOT }, (_, at) => digest.readUInt32LE(at * 4))
}
