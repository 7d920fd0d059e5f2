import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFrom } from '../../src/config.ts'
import { emptyDir } from '../support/dir.ts'
import { yamlIn } from './expressions.ts'

type Env = Record<string, string>

const UNIT = 'deploy/systemd/docket.service'
/** Docket ends within so many seconds; whoever kills it sooner breaks off what it serves. */
const ENDS_WITHIN = 30
/** Variables of clients in the guides, which no server reads. */
const OF_CLIENTS = ['DOCKET_URL', 'DOCKET_KEY', 'DOCKET_PASSWORD', 'DOCKET_WEBHOOK_SECRET']

/** Every setting that there is: whatever is looked up. */
function settingsThereAre(): Set<string> {
  const names = new Set<string>()
  const get = (_: object, name: string) => void names.add(name)
  configFrom(new Proxy({}, { get }))
  return names
}

function unknownIn(text: string): string[] {
  const known = settingsThereAre()
  const named = [...text.matchAll(/\bDOCKET_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => name)
  return named.filter((name) => !known.has(name) && !OF_CLIENTS.includes(name))
}

test('no file of deploy and no page names a setting that there is not', () => {
  const paths = globSync(['deploy/**/*', 'docs/**/*.md', '*.md']).filter((path) =>
    statSync(path).isFile(),
  )
  assert.ok(paths.length > 30)
  for (const path of paths) assert.deepEqual(unknownIn(readFileSync(path, 'utf8')), [], path)
  assert.deepEqual(unknownIn('DOCKET_PROT=4000 DOCKET_PORT=4000'), ['DOCKET_PROT'])
})

interface Compose {
  services: Record<
    string,
    { environment?: Env; stop_grace_period?: string; image: string; read_only?: boolean }
  >
}

test('what Compose starts has settings that hold, and time to end', () => {
  const [{ services }] = yamlIn('deploy/compose.yaml') as [Compose]
  const example = readFileSync('deploy/env.example', 'utf8')
  const given = new Set([...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name))
  const filled = (value: string) =>
    value.replace(/\$\{(\w+)[^}]*\}/g, (_, name: string) => {
      assert.ok(given.has(name), `env.example names ${name}`)
      if (name === 'DOCKET_BASE_URL') return 'https://docket.example.com'
      return /SMTP|MAIL/.test(name) ? '' : 'a secret of the tests only'
    })
  for (const name of ['docket-1', 'docket-2']) {
    const { environment = {}, stop_grace_period = '', read_only } = services[name] ?? { image: '' }
    const values = Object.entries(environment).map(([key, value]) => [key, filled(value)])
    const config = configFrom(Object.fromEntries(values))
    assert.ok(config.redisUrl && config.databaseUrl && !config.demo)
    assert.ok(Number.parseInt(stop_grace_period, 10) > ENDS_WITHIN && read_only)
    const [, interval, timeout] =
      /health_interval (\d+)s\s+health_timeout (\d+)s/.exec(
        readFileSync('deploy/Caddyfile', 'utf8'),
      ) ?? []
    assert.ok(config.drainSeconds > Number(interval) + Number(timeout))
  }
})

interface Manifest {
  kind: string
  data?: Env
  stringData?: Env
  resources?: string[]
  spec?: {
    selector: { matchLabels: Env }
    template: { metadata: { labels: Env }; spec: Pod }
  }
}

interface Pod {
  terminationGracePeriodSeconds: number
  containers: { readinessProbe: { periodSeconds: number; failureThreshold: number } }[]
}

test('what Kubernetes starts has settings that hold, and time to drain and to end', () => {
  const files = globSync('*.yaml', { cwd: 'deploy/kubernetes' })
  const manifests = files.map((file) => yamlIn(join('deploy/kubernetes', file))[0] as Manifest)
  const kind = (wanted: string) => manifests.find((one) => one.kind === wanted)
  const listed = [...(kind('Kustomization')?.resources ?? []), 'kustomization.yaml']
  assert.deepEqual([...listed, 'secret.example.yaml'].toSorted(), files.toSorted())
  const config = configFrom({ ...kind('ConfigMap')?.data, ...kind('Secret')?.stringData })
  assert.ok(config.redisUrl && config.databaseUrl && config.s3 && config.secret && !config.demo)
  const { selector, template } = kind('Deployment')?.spec ?? assert.fail('a Deployment')
  assert.deepEqual(selector.matchLabels, template.metadata.labels)
  const { terminationGracePeriodSeconds, containers } = template.spec
  assert.ok(terminationGracePeriodSeconds > ENDS_WITHIN)
  const { periodSeconds = 0, failureThreshold = 0 } = containers[0]?.readinessProbe ?? {}
  assert.ok(config.drainSeconds > 2 * periodSeconds * failureThreshold)
})

test('the unit of systemd has settings that hold, and time to end', () => {
  const unit = readFileSync(UNIT, 'utf8')
  const lines = [...unit.matchAll(/^Environment=(.*)$/gm)].map(([, line = '']) => line)
  const values = lines.join(' ').split(' ')
  configFrom(Object.fromEntries(values.map((pair) => pair.split('='))))
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > ENDS_WITHIN)
  assert.match(unit, /^RestartPreventExitStatus=78$/m)
})

const analyzes = spawnSync('systemd-analyze', ['--version']).status === 0

if (analyzes) {
  test('systemd takes the unit, and finds it closed', () => {
    const path = join(emptyDir(), 'docket.service')
    const unit = readFileSync(UNIT, 'utf8')
    // It looks whether the program is there.
    writeFileSync(path, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
    assert.deepEqual([verified.status, verified.stderr], [0, ''])
    const rated = execFileSync('systemd-analyze', ['security', '--offline=true', path], {
      encoding: 'utf8',
    })
    const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(rated)?.[1])
    assert.ok(exposure < 2, `${exposure} of 10`)
  })
} else console.log('There is no systemd-analyze here: the unit is not tested by it.')
