import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '../system/free-port.ts'
import { createTempDir } from '../system/temp-dir.ts'

/** A program of which deploy/proxies has a configuration. */
export interface ReverseProxyProgram {
  name: 'nginx' | 'HAProxy' | 'Caddy'
  command: string
  /** The package of Debian and Ubuntu. */
  package: string
}

const PROGRAMS: readonly (ReverseProxyProgram & { versionFlag: string })[] = [
  { name: 'nginx', command: '/usr/sbin/nginx', package: 'nginx-light', versionFlag: '-v' },
  { name: 'HAProxy', command: '/usr/sbin/haproxy', package: 'haproxy', versionFlag: '-v' },
  { name: 'Caddy', command: '/usr/bin/caddy', package: 'caddy', versionFlag: 'version' },
]

/** All programs, with whether they are installed, because npm has no packages of them. */
export const REVERSE_PROXIES = PROGRAMS.map(({ versionFlag, ...program }) => ({
  ...program,
  isInstalled: spawnSync(program.command, [versionFlag]).error === undefined,
}))

export interface RunningReverseProxy {
  port: number
  /** All output so far, for error messages. */
  readOutput(): string
  stop(): Promise<void>
}

interface ProxyPlace {
  dir: string
  port: number
  upstreams: readonly [number, number]
}

/**
 * Starts a proxy with its configuration of deploy/proxies in front of two processes on this machine.
 * Only addresses are replaced, and TLS is left out. `adapt` changes the configuration further.
 */
export async function startReverseProxy(
  { name, command }: ReverseProxyProgram,
  upstreams: readonly [number, number],
  adapt: (text: string) => string = (text) => text,
): Promise<RunningReverseProxy> {
  const place = { dir: createTempDir(), port: await findFreePort(), upstreams }
  const [text, args, env] = COMMANDS[name](place)
  writeFileSync(join(place.dir, 'config'), adapt(text))
  const child: ChildProcess = spawn(command, args, {
    cwd: place.dir,
    env: { PATH: process.env.PATH, HOME: place.dir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  const proxy = {
    port: place.port,
    readOutput: () => output,
    async stop() {
      process.off('exit', killAtExit)
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      // Caddy would wait for streams that are still open.
      child.kill('SIGKILL')
      await ended
    },
  }
  for (const end = performance.now() + 60_000; !(await answers(place.port)); await pause(10)) {
    if (child.exitCode === null && performance.now() < end) continue
    await proxy.stop()
    throw new Error(`${name} does not start: ${output}`)
  }
  return proxy
}

const answers = (port: number) =>
  fetch(`http://127.0.0.1:${port}/healthz`).then(
    async (reply) => (await reply.arrayBuffer()).byteLength > 0,
    () => false,
  )

type ProxyCommand = (
  place: ProxyPlace,
) => readonly [config: string, args: string[], env?: Record<string, string>]

const COMMANDS: Record<ReverseProxyProgram['name'], ProxyCommand> = {
  nginx: ({ dir, port, upstreams: [one, two] }) => {
    const site = readConfig('nginx.conf', [
      [/server \{\n\tlisten 80;[^}]*\}\n/, ''],
      ['listen 443 ssl http2;', `listen 127.0.0.1:${port};`],
      ['listen [::]:443 ssl http2;', `listen [::1]:${port};`],
      [/\tssl_certificate .*\n\tssl_certificate_key .*\n/, ''],
      [/127\.0\.0\.1:4001\b/, `127.0.0.1:${one}`],
      // The first upstream may have port 40020 to 40029 by now.
      [/127\.0\.0\.1:4002\b/, `127.0.0.1:${two}`],
    ])
    const http = `access_log off; client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy;
fastcgi_temp_path ${dir}/1; uwsgi_temp_path ${dir}/2; scgi_temp_path ${dir}/3;`
    const main = `daemon off; master_process off; pid ${dir}/pid; error_log stderr warn; events {}`
    return [`${main}\nhttp {\n${http}\n${site}}\n`, ['-c', join(dir, 'config'), '-e', 'stderr']]
  },
  HAProxy: ({ dir, port, upstreams: [one, two] }) => {
    const config = readConfig('haproxy.cfg', [
      [/\tbind :80\n\tbind :::80 v6only\n/, ''],
      [/bind :443 .*/, `bind 127.0.0.1:${port}`],
      [/bind :::443 .*/, `bind ::1:${port}`],
      [/\thttp-request redirect .*\n/, ''],
      [/127\.0\.0\.1:4001\b/, `127.0.0.1:${one}`],
      [/127\.0\.0\.1:4002\b/, `127.0.0.1:${two}`],
    ])
    return [config, ['-db', '-f', join(dir, 'config')]]
  },
  Caddy: ({ dir, port, upstreams: [one, two] }) => {
    const config = readConfig('Caddyfile', [
      ['{$DOCKET_BASE_URL} {', '{$DOCKET_BASE_URL} {\n\tbind 127.0.0.1 ::1'],
      ['docket-1:4000 docket-2:4000', `127.0.0.1:${one} 127.0.0.1:${two}`],
    ])
    return [
      `{\n\tadmin off\n}\n${config}`,
      ['run', '--adapter', 'caddyfile', '--config', join(dir, 'config')],
      { DOCKET_BASE_URL: `http://:${port}` },
    ]
  },
}

/** Reads a configuration, and makes replacements each of which must apply. */
function readConfig(file: string, replacements: readonly (readonly [string | RegExp, string])[]) {
  let text = readFileSync(join('deploy/proxies', file), 'utf8')
  for (const [from, to] of replacements) {
    const replaced = text.replace(from, to)
    assert.notEqual(replaced, text, `${file} has ${from}`)
    text = replaced
  }
  return text
}
