import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createTempDir } from '../system/temp-dir.ts'

/** An S3-compatible server in its own process. */
export interface S3Server {
  /** The settings that make a Docket keep its files there. */
  env: Record<string, string>
  /** The path of the file behind a key, for tests that read or damage it. */
  pathOf(key: string): string
  end(): Promise<void>
}

const BUCKET = 'docket-files'
const FLUSHED_WRITES = join(import.meta.dirname, 's3-flushed-writes.ts')
const PROGRAM = join(import.meta.dirname, '../../../node_modules/s3rver/bin/s3rver.js')

/** Starts an empty one. It ends by SIGKILL, because its own shutdown waits for idle connections. */
export async function startS3Server(): Promise<S3Server> {
  const directory = createTempDir()
  const args = ['-d', directory, '-a', '127.0.0.1', '-p', '0', '--no-vhost-buckets']
  const words = ['--import', FLUSHED_WRITES, PROGRAM, ...args, '--configure-bucket', BUCKET]
  const child = spawn(process.execPath, words)
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.resume()
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  process.once('exit', () => child.kill('SIGKILL'))
  for (let tries = 0; !/listening on \S+:\d+/.test(output); tries += 1) {
    if (child.exitCode !== null || tries > 3_000)
      throw new Error(`s3rver does not start: ${output}`)
    await pause(20)
  }
  const port = /listening on \S+:(\d+)/.exec(output)?.[1]
  return {
    env: {
      DOCKET_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      DOCKET_S3_BUCKET: BUCKET,
      DOCKET_S3_REGION: 'us-east-1',
      DOCKET_S3_ACCESS_KEY_ID: 'S3RVER',
      DOCKET_S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    pathOf: (key) => join(directory, BUCKET, `${key}._S3rver_object`),
    end,
  }
}
