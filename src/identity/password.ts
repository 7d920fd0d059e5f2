import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { unavailable } from '#core/refusal.ts'

const hashed = promisify(argon2)

/** argon2id with 19 MiB, 2 passes, 1 lane and a salt of 16 bytes (contract 4.5). */
const COST = { parallelism: 1, memory: 19 * 1024, passes: 2, tagLength: 32 }

/** In the PHC form, which names its own cost: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export function hashOfPassword(password: string): Promise<string> {
  return inTurn(async () => {
    const nonce = randomBytes(16)
    const tag = await hashed('argon2id', { ...COST, message: password, nonce })
    const cost = `m=${COST.memory},t=${COST.passes},p=${COST.parallelism}`
    return `$argon2id$v=19$${cost}$${text(nonce)}$${text(tag)}`
  })
}

/**
 * Whether this is the password of which the hash is kept. Where none is kept, nobody's is: but it
 * takes the same work to say so, so that the time does not tell who has an account.
 */
export function isPassword(password: string, kept: string | null): Promise<boolean> {
  return inTurn(async () => {
    const { cost, nonce, tag } = workFor(kept)
    const is = await hashed('argon2id', { ...cost, message: password, nonce })
    return timingSafeEqual(is, tag) && !tag.equals(NOBODYS)
  })
}

/** What has to be hashed to compare with what is kept; where none is kept, as for a new password. */
export function workFor(kept: string | null) {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(kept ?? '') ?? []
  if (memory === undefined) return { cost: COST, nonce: randomBytes(16), tag: NOBODYS }
  const wanted = Buffer.from(tag, 'base64')
  const [nonce, tagLength] = [Buffer.from(salt, 'base64'), wanted.length]
  const given = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  return { cost: { ...given, tagLength }, nonce, tag: wanted }
}

const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/
/** No password has this hash, as far as anybody knows; and if one had, it would not count. */
const NOBODYS = randomBytes(COST.tagLength)

/** A hash takes 19 MiB and a thread for 30 ms: so many are made at once, and so many may wait. */
const [AT_ONCE, MOST_WAITING] = [4, 32]
const turns = { busy: 0, waiting: [] as (() => void)[] }

/** Does work when it is its turn; 503 `unavailable` where too much waits already. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (turns.busy < AT_ONCE) turns.busy += 1
  else if (turns.waiting.length >= MOST_WAITING) {
    throw unavailable('Too many passwords are being checked: try again in a moment.')
  } else await new Promise<void>((resolve) => turns.waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = turns.waiting.shift()
    if (next) next()
    else turns.busy -= 1
  }
}
