import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { serviceUnavailable } from '#core/api-error.ts'

const argon2Async = promisify(argon2)

/** argon2id with 19 MiB, 2 passes, 1 lane and a salt of 16 bytes (docs/spec/api.md#session-cookie). */
const COST = { parallelism: 1, memory: 19 * 1024, passes: 2, tagLength: 32 }

/**
 * Hashes a password in the PHC format, which contains the cost:
 * `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
 */
export function hashPassword(password: string): Promise<string> {
  return withSlot(async () => {
    const nonce = randomBytes(16)
    const tag = await argon2Async('argon2id', { ...COST, message: password, nonce })
    const cost = `m=${COST.memory},t=${COST.passes},p=${COST.parallelism}`
    return `$argon2id$v=19$${cost}$${toBase64(nonce)}$${toBase64(tag)}`
  })
}

/**
 * Whether a password matches the stored hash. Without a hash the result is false, but the work is
 * the same, so that the response time does not reveal who has an account.
 */
export function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  return withSlot(async () => {
    const { cost, nonce, tag } = parsePasswordHash(hash)
    const actual = await argon2Async('argon2id', { ...cost, message: password, nonce })
    return timingSafeEqual(actual, tag) && !tag.equals(UNMATCHABLE_TAG)
  })
}

/**
 * Parses cost, salt and hash. Without a valid hash it returns the cost of a new password and a
 * random salt.
 */
export function parsePasswordHash(hash: string | null) {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(hash ?? '') ?? []
  if (memory === undefined) return { cost: COST, nonce: randomBytes(16), tag: UNMATCHABLE_TAG }
  const expected = Buffer.from(tag, 'base64')
  const [nonce, tagLength] = [Buffer.from(salt, 'base64'), expected.length]
  const parsedCost = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  }
  return { cost: { ...parsedCost, tagLength }, nonce, tag: expected }
}

const toBase64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/
/**
 * A random hash to compare with if there is none. Even a password with this hash would be rejected.
 */
const UNMATCHABLE_TAG = randomBytes(COST.tagLength)

/** A hash takes 19 MiB and occupies a thread for 30 ms, so concurrency and queue are limited. */
const [MAX_CONCURRENT, MAX_WAITING] = [4, 32]
const slots = { busy: 0, waiting: [] as (() => void)[] }

/** Runs the work when there is a free slot. Throws 503 `unavailable` if the queue is full. */
async function withSlot<T>(work: () => Promise<T>): Promise<T> {
  if (slots.busy < MAX_CONCURRENT) slots.busy += 1
  else if (slots.waiting.length >= MAX_WAITING) {
    throw serviceUnavailable(
      'Too many people are signing in at the moment. Try again in a few seconds.',
    )
  } else await new Promise<void>((resolve) => slots.waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = slots.waiting.shift()
    if (next) next()
    else slots.busy -= 1
  }
}
