import { hash } from 'node:crypto'

const WORDS = 4
const [FIRST, FULLEST] = [1 << 12, 0.6]

/**
 * Texts, each numbered as it comes: some 60 bytes for each, however long it is. A million ids
 * in a Map would take a quarter of a gigabyte. Texts are told apart by 128 bits of their SHA-256.
 */
export class Keys {
  #size = FIRST
  #slots = new Uint32Array(FIRST * WORDS)
  #numbers = new Uint32Array(FIRST)
  count = 0

  /** Gives the text the next number, from 0 on; undefined where it has one already. */
  add(text: string): number | undefined {
    if (this.count > this.#size * FULLEST) this.#grow()
    const words = wordsOf(text)
    const at = this.#find(words)
    if (this.#numbers[at] !== 0) return undefined
    this.#slots.set(words, at * WORDS)
    this.count += 1
    this.#numbers[at] = this.count
    return this.count - 1
  }

  /** The number of a text; undefined where it has none. */
  of(text: string): number | undefined {
    const number = this.#numbers[this.#find(wordsOf(text))] ?? 0
    return number === 0 ? undefined : number - 1
  }

  /** The place where it stands, or the free one where it would. */
  #find(words: Uint32Array): number {
    let at = (words[0] ?? 0) % this.#size
    while (this.#numbers[at] !== 0 && !this.#isAt(at, words)) at = (at + 1) % this.#size
    return at
  }

  #isAt(at: number, words: Uint32Array): boolean {
    return words.every((word, n) => this.#slots[at * WORDS + n] === word)
  }

  #grow(): void {
    const [slots, numbers] = [this.#slots, this.#numbers]
    this.#size *= 2
    this.#slots = new Uint32Array(this.#size * WORDS)
    this.#numbers = new Uint32Array(this.#size)
    for (const [from, number] of numbers.entries()) {
      if (number === 0) continue
      const words = slots.subarray(from * WORDS, (from + 1) * WORDS)
      const at = this.#find(words)
      this.#slots.set(words, at * WORDS)
      this.#numbers[at] = number
    }
  }
}

function wordsOf(text: string): Uint32Array {
  const digest = hash('sha256', text, 'buffer')
  return Uint32Array.from({ length: WORDS }, (_, at) => digest.readUInt32LE(at * 4))
}
