import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { type DocumentedProgram, findPython, GO_ENV } from './documented-programs.ts'

const GO_MODULE = 'github.com/standard-webhooks/standard-webhooks/libraries'
const GO_MODULE_VERSION = 'v0.0.1'
const REPOSITORY = join(import.meta.dirname, '../../..')

/** A Standard Webhooks library, and the sample of docs/guides/verify-webhooks.md that calls it. */
export interface WebhookLibrary {
  /** The column of the guide's table. */
  language: string
  /** The file name in the first line of the sample. */
  sample: string
  /** The command that installs the library, and what it installs. */
  install: readonly [command: string, name: string]
  /** Whether the language and the library are installed. */
  isInstalled: () => boolean
  /** A sample that does nothing but the call of a cell in the guide's table. */
  sampleOf: (call: string) => string
  /** Makes a program of a sample: it takes a request as CGI passes it. */
  createProgram: (sample: string) => DocumentedProgram
}

/** Found in the module cache, because tests must not need a network. */
function findGoModuleCache(): string | undefined {
  const { stdout, error } = spawnSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' })
  if (error) return undefined
  const cache = stdout.trim()
  return existsSync(join(cache, `${GO_MODULE}@${GO_MODULE_VERSION}`)) ? cache : undefined
}

function writeFiles(files: Record<string, string>): string {
  const directory = createTempDir()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  return directory
}

const typescript: WebhookLibrary = {
  language: 'TypeScript',
  sample: 'webhook.ts',
  install: ['npm install', 'standardwebhooks'],
  isInstalled: () => true,
  sampleOf: (call) => `import { Webhook } from 'standardwebhooks'
export const verifyWebhook = (secret, body, headers) => (${call}).verify(body, headers)
`,
  createProgram(sample) {
    const directory = writeFiles({
      'webhook.ts': sample,
      'main.ts': `import { readFileSync } from 'node:fs'
import { verifyWebhook } from './webhook.ts'

const { DOCKET_WEBHOOK_SECRET, ...variables } = process.env
const headers = Object.entries(variables).flatMap(([name, value]) =>
  name.startsWith('HTTP_') ? [[name.slice(5).toLowerCase().replaceAll('_', '-'), value]] : [],
)
const body = readFileSync(0)
try {
  const event = verifyWebhook(DOCKET_WEBHOOK_SECRET, body, Object.fromEntries(headers))
  if (JSON.stringify(event) !== JSON.stringify(JSON.parse(body))) throw new Error('another event')
  console.log('genuine')
} catch {
  console.log('refused')
  process.exitCode = 1
}
`,
    })
    symlinkSync(join(REPOSITORY, 'node_modules'), join(directory, 'node_modules'))
    return { name: 'webhook.ts', command: [process.execPath, join(directory, 'main.ts')] }
  },
}

const python: WebhookLibrary = {
  language: 'Python',
  sample: 'webhook.py',
  install: ['pip install', 'standardwebhooks'],
  isInstalled: () => spawnSync('python3', ['-c', 'import standardwebhooks']).status === 0,
  sampleOf: (call) => `from standardwebhooks import Webhook
def verify_webhook(secret, body, headers):
    return ${call}.verify(body, headers)
`,
  createProgram(sample) {
    const directory = writeFiles({
      'webhook.py': sample,
      'main.py': `import json, os, sys
from webhook import verify_webhook

headers = {k[5:].replace("_", "-"): v for k, v in os.environ.items() if k.startswith("HTTP_")}
body = sys.stdin.buffer.read()
try:
    event = verify_webhook(os.environ["DOCKET_WEBHOOK_SECRET"], body, headers)
    assert event == json.loads(body)
except Exception:
    print("refused")
    sys.exit(1)
print("genuine")
`,
    })
    return { name: 'webhook.py', command: [findPython(), join(directory, 'main.py')] }
  },
}

const go: WebhookLibrary = {
  language: 'Go',
  sample: 'webhook.go',
  install: ['go mod download', `${GO_MODULE}@${GO_MODULE_VERSION}`],
  isInstalled: () => findGoModuleCache() !== undefined,
  sampleOf: (call) => `package main
import "net/http"
import . "${GO_MODULE}/go"
func verifyWebhook(secret string, body []byte, headers http.Header) error {
	webhook, err := ${call}
	if err != nil {
		return err
	}
	return webhook.Verify(body, headers)
}
`,
  createProgram(sample) {
    const directory = writeFiles({
      'go.mod': `module receiver\n\ngo 1.21\n\nrequire ${GO_MODULE} ${GO_MODULE_VERSION}\n`,
      'webhook.go': sample,
      'main.go': `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	headers := http.Header{}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if header, ok := strings.CutPrefix(name, "HTTP_"); ok {
			headers.Set(strings.ReplaceAll(header, "_", "-"), value)
		}
	}
	body, err := io.ReadAll(os.Stdin)
	if err != nil || verifyWebhook(os.Getenv("DOCKET_WEBHOOK_SECRET"), body, headers) != nil {
		fmt.Println("refused")
		os.Exit(1)
	}
	fmt.Println("genuine")
}
`,
    })
    const env = {
      ...GO_ENV,
      GOMODCACHE: findGoModuleCache(),
      GOFLAGS: '-mod=mod',
      GOPROXY: 'off',
      GOSUMDB: 'off',
      GOTOOLCHAIN: 'local',
    }
    execFileSync('go', ['build', '-o', 'receiver', '.'], { cwd: directory, env, stdio: 'pipe' })
    return { name: 'webhook.go', command: [join(directory, 'receiver')] }
  },
}

export const WEBHOOK_LIBRARIES: readonly WebhookLibrary[] = [typescript, python, go]
