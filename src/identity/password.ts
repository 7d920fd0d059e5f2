import { argon2, randomBytes } from 'node:crypto'
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

const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
