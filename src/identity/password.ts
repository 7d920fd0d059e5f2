import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const hashed = promisify(argon2)

/** argon2id with 19 MiB, 2 passes, 1 lane and a salt of 16 bytes (contract 4.5). */
const COST = { parallelism: 1, memory: 19 * 1024, passes: 2, tagLength: 32 }

/** In the PHC form, which names its own cost: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashOfPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await hashed('argon2id', { ...COST, message: password, nonce })
  const cost = `m=${COST.memory},t=${COST.passes},p=${COST.parallelism}`
  return `$argon2id$v=19$${cost}$${text(nonce)}$${text(tag)}`
}

/** Whether a password is the one of a hash. */
export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? []
  const wanted = Buffer.from(tag, 'base64')
  if (wanted.length === 0) return false
  const is = await hashed('argon2id', {
    message: password,
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: wanted.length,
  })
  return timingSafeEqual(is, wanted)
}

const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
