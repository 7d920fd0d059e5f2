import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseConfig } from '../../src/config/config.ts'
import { CLIENT_VARIABLES, listSettingNames } from '../../src/config/setting-names.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { readYamlDocuments } from './prometheus.ts'

type SettingValues = Record<string, string>

const UNIT = 'deploy/systemd/docket.service'
/** The maximum duration of a stop. An earlier kill would drop open requests. */
const MAX_STOP_SECONDS = 30
function findUnknownSettings(text: string): string[] {
  const settings = listSettingNames()
  const named = [...text.matchAll(/\bDOCKET_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => name)
  return named.filter((name) => !settings.has(name) && !CLIENT_VARIABLES.has(name))
}

test('deploy files and documents name only existing settings', () => {
  const paths = globSync(['deploy/**/*', 'docs/**/*.md', '*.md']).filter((path) =>
    statSync(path).isFile(),
  )
  assert.ok(paths.length > 30)
  for (const path of paths)
    assert.deepEqual(findUnknownSettings(readFileSync(path, 'utf8')), [], path)
  assert.deepEqual(findUnknownSettings('DOCKET_PROT=4000 DOCKET_PORT=4000'), ['DOCKET_PROT'])
})

interface ComposeFile {
  services: Record<
    string,
    { environment?: SettingValues; stop_grace_period?: string; image: string; read_only?: boolean }
  >
}

test('the Compose file has valid settings and enough time to stop', () => {
  const [{ services }] = readYamlDocuments('deploy/compose.yaml') as [ComposeFile]
  const example = readFileSync('deploy/env.example', 'utf8')
  const defined = new Set([...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name))
  const filled = (value: string) =>
    value.replace(/\$\{(\w+)[^}]*\}/g, (_, name: string) => {
      assert.ok(defined.has(name), `env.example names ${name}`)
      if (name === 'DOCKET_BASE_URL') return 'https://docket.example.com'
      return /SMTP|MAIL/.test(name) ? '' : 'a secret of the tests only'
    })
  for (const name of ['docket-1', 'docket-2']) {
    const { environment = {}, stop_grace_period = '', read_only } = services[name] ?? { image: '' }
    const values = Object.entries(environment).map(([key, value]) => [key, filled(value)])
    const config = parseConfig(Object.fromEntries(values))
    assert.ok(config.redisUrl && config.databaseUrl && !config.demo)
    assert.ok(config.requiresSetupToken)
    assert.ok(Number.parseInt(stop_grace_period, 10) > MAX_STOP_SECONDS && read_only)
    const [, interval, timeout] =
      /health_interval (\d+)s\s+health_timeout (\d+)s/.exec(
        readFileSync('deploy/Caddyfile', 'utf8'),
      ) ?? []
    assert.ok(config.drainSeconds > Number(interval) + Number(timeout))
  }
})

interface KubernetesManifest {
  kind: string
  data?: SettingValues
  stringData?: SettingValues
  resources?: string[]
  spec?: {
    selector: { matchLabels: SettingValues }
    template: { metadata: { labels: SettingValues }; spec: PodSpec }
  }
}

interface PodSpec {
  terminationGracePeriodSeconds: number
  containers: { readinessProbe: { periodSeconds: number; failureThreshold: number } }[]
}

test('the Kubernetes manifests have valid settings and enough time to drain and stop', () => {
  const files = globSync('*.yaml', { cwd: 'deploy/kubernetes' })
  const manifests = files.map(
    (file) => readYamlDocuments(join('deploy/kubernetes', file))[0] as KubernetesManifest,
  )
  const kind = (wanted: string) => manifests.find((one) => one.kind === wanted)
  const listed = [...(kind('Kustomization')?.resources ?? []), 'kustomization.yaml']
  assert.deepEqual([...listed, 'secret.example.yaml'].toSorted(), files.toSorted())
  const secrets = kind('Secret')?.stringData ?? {}
  const samples = Object.keys(secrets).filter((name) => secrets[name]?.includes('openssl rand'))
  assert.deepEqual(samples, ['DOCKET_SECRET', 'DOCKET_METRICS_TOKEN'])
  const generated = Object.fromEntries(samples.map((name) => [name, 'c0ffee'.repeat(10)]))
  const config = parseConfig({ ...kind('ConfigMap')?.data, ...secrets, ...generated })
  assert.ok(config.requiresSetupToken && config.metricsToken)
  assert.ok(config.redisUrl && config.databaseUrl && config.s3 && config.secret && !config.demo)
  const { selector, template } = kind('Deployment')?.spec ?? assert.fail('a Deployment')
  assert.deepEqual(selector.matchLabels, template.metadata.labels)
  const { terminationGracePeriodSeconds, containers } = template.spec
  assert.ok(terminationGracePeriodSeconds > MAX_STOP_SECONDS)
  const { periodSeconds = 0, failureThreshold = 0 } = containers[0]?.readinessProbe ?? {}
  assert.ok(config.drainSeconds > 2 * periodSeconds * failureThreshold)
})

test('the systemd unit has valid settings and enough time to stop', () => {
  const unit = readFileSync(UNIT, 'utf8')
  const lines = [...unit.matchAll(/^Environment=(.*)$/gm)].map(([, line = '']) => line)
  const values = lines.join(' ').split(' ')
  parseConfig(Object.fromEntries(values.map((pair) => pair.split('='))))
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > MAX_STOP_SECONDS)
  assert.match(unit, /^RestartPreventExitStatus=78$/m)
})

const hasSystemdAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0

if (hasSystemdAnalyze) {
  test('systemd accepts the unit and rates it as well sandboxed', () => {
    const path = join(createTempDir(), 'docket.service')
    const unit = readFileSync(UNIT, 'utf8')
    // systemd-analyze checks that the program exists.
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
