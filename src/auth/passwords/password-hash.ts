import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { type ApiError, serviceUnavailable } from '#core/api-error.ts'
import { clientNetworkOf } from '#lib/client-network.ts'

const argon2Async = promisify(argon2)

/** argon2id with 19 MiB, 2 passes, 1 lane and a salt of 16 bytes (docs/spec/api.md#session-cookie). */
const COST = { parallelism: 1, memory: 19 * 1024, passes: 2, tagLength: 32 }

/**
 * Hashes a password in the PHC format, which contains the cost:
 * `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
 */
export function hashPassword(password: string, owner = OPERATOR): Promise<string> {
  return withSlot(owner, async () => {
    const nonce = randomBytes(16)
    const tag = await argon2Async('argon2id', { ...COST, message: password, nonce })
    const cost = `m=${COST.memory},t=${COST.passes},p=${COST.parallelism}`
    return `$argon2id$v=19$${cost}$${toBase64(nonce)}$${toBase64(tag)}`
  })
}

/**
 * Whether a password matches the stored hash. Without a hash the result is false, but the work is
 * the same, so that the response time does not reveal who has an account. `attempt` runs the
 * comparison when its turn has come, and may count it: attempts that wait have not failed.
 */
export function verifyPassword(
  password: string,
  hash: string | null,
  owner: PasswordOwner,
  attempt = (compare: () => Promise<boolean>) => compare(),
): Promise<boolean> {
  const compare = async () => {
    const { cost, nonce, tag } = parsePasswordHash(hash)
    const actual = await argon2Async('argon2id', { ...cost, message: password, nonce })
    return timingSafeEqual(actual, tag) && !tag.equals(UNMATCHABLE_TAG)
  }
  return withSlot(owner, () => attempt(compare))
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
const [MAX_CONCURRENT, MAX_WAITING] = [4, 64]
/** Of one account, and of the network of one client. The others stay free for everybody else. */
const MAX_CONCURRENT_EACH = 2

/** Whose password it is, and the IP address of the client that has sent it. */
export interface PasswordOwner {
  account: string
  address: string
}
/** The server itself or its command line. */
const OPERATOR: PasswordOwner = { account: '', address: '' }

/**
 * A hash that waits for a slot. Rounds decide on the order: in each, every account has one turn at
 * most, and within a round the networks take turns.
 */
interface WaitingHash {
  account: string
  network: string
  accountRound: number
  networkRound: number
  start: () => void
  refuse: (error: ApiError) => void
}

const slots = { running: [] as WaitingHash[], waiting: [] as WaitingHash[], round: 0 }

/**
 * Runs the work when there is a free slot. If the queue is full, one of those that fill it is refused
 * with 503 `unavailable`, whoever came last.
 */
async function withSlot<T>(
  { account, address }: PasswordOwner,
  work: () => Promise<T>,
): Promise<T> {
  const network = clientNetworkOf(address)
  const accountRounds = slots.waiting.filter((other) => other.account === account)
  const accountRound =
    1 + Math.max(slots.round, ...accountRounds.map((other) => other.accountRound))
  const networkRound = slots.waiting.filter(
    (other) => other.network === network && other.accountRound === accountRound,
  ).length
  const { promise, resolve: start, reject: refuse } = Promise.withResolvers<void>()
  const hashing = { account, network, accountRound, networkRound, start, refuse }
  slots.waiting.push(hashing)
  startWaiting()
  if (slots.waiting.length > MAX_WAITING) {
    const refused = findMostCrowded()
    slots.waiting = slots.waiting.filter((other) => other !== refused)
    refused?.refuse(
      serviceUnavailable(
        'Too many people are signing in at the moment. Try again in a few seconds.',
      ),
    )
  }
  await promise
  try {
    return await work()
  } finally {
    slots.running = slots.running.filter((other) => other !== hashing)
    startWaiting()
  }
}

/** The one behind most others of its account and its network; of several the newest. */
function findMostCrowded(): WaitingHash | undefined {
  const counts = new Map<string, number>()
  const count = (name: string) => {
    const next = (counts.get(name) ?? 0) + 1
    counts.set(name, next)
    return next
  }
  const places = slots.waiting.map(
    ({ account, network }) => count(`account ${account}`) + count(`network ${network}`),
  )
  return slots.waiting[places.lastIndexOf(Math.max(...places))]
}

/** Starts the hashes that are next and may run. */
function startWaiting(): void {
  for (const next of slots.waiting.toSorted(compareTurns)) {
    if (slots.running.length >= MAX_CONCURRENT) return
    const ofAccount = slots.running.filter(({ account }) => account === next.account)
    const ofNetwork = slots.running.filter(({ network }) => network === next.network)
    if (Math.max(ofAccount.length, ofNetwork.length) >= MAX_CONCURRENT_EACH) continue
    slots.waiting = slots.waiting.filter((other) => other !== next)
    slots.running.push(next)
    slots.round = Math.max(slots.round, next.accountRound)
    next.start()
  }
}

/** Sorting is stable: within a turn, who came first is first. */
const compareTurns = (a: WaitingHash, b: WaitingHash): number =>
  a.accountRound - b.accountRound || a.networkRound - b.networkRound
