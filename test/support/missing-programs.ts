import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { INTERPRETERS } from '#test/docs/programs.ts'
import { pgbouncerProgram } from './pgbouncer.ts'
import { redisProgram } from './redis.ts'

/** Something that npm cannot install, and that some tests need. */
interface Part {
  name: string
  isHere: boolean
  tests: number
  /** Its package in Debian and Ubuntu. */
  package: string
}

/** Where a file's tests are only defined beside a program, they are indented. */
const definedIn = (file: string) => readFileSync(file, 'utf8').match(/^ {2}test\(/gm)?.length ?? 0

const LANGUAGES = { py: 'python3', go: 'golang', rb: 'ruby', php: 'php-cli' }

function parts(): Part[] {
  const languages = Object.entries(LANGUAGES).map(([ending, name]) => {
    const [command, ...asked] = INTERPRETERS[ending] ?? ['']
    const isHere = spawnSync(command, asked).error === undefined
    return { name: `verify.${ending} of docs/webhooks.md`, isHere, tests: 1, package: name }
  })
  return [
    {
      ...{ name: 'limits in Redis', isHere: redisProgram !== undefined, package: 'redis-server' },
      tests: definedIn('test/processes/shared-limits.test.ts'),
    },
    {
      ...{ name: 'PgBouncer', isHere: pgbouncerProgram !== undefined, package: 'pgbouncer' },
      tests: definedIn('test/processes/pgbouncer.test.ts'),
    },
    ...languages,
  ]
}

/** A line that says what was not tested on this machine, and how to get it; undefined where all was. */
export function missingPrograms(all: readonly Part[] = parts()): string | undefined {
  const missing = all.filter(({ isHere }) => !isHere)
  if (missing.length === 0) return undefined
  const names = missing.map(({ name, tests }) => {
    return `${name} (${tests} ${tests === 1 ? 'test' : 'tests'})`
  })
  const packages = missing.map((part) => part.package).join(' ')
  return `Not tested: ${names.join(', ')}: apt-get install ${packages}`
}
