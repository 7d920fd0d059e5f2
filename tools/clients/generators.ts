import { join } from 'node:path'
import type { ClientGenerator } from './client-generator.ts'
import {
  goTool,
  mavenTool,
  npmTool,
  pythonTool,
  systemTool,
  type ToolCommand,
} from './toolchain.ts'

const TSC = join(import.meta.dirname, '../../node_modules/.bin/tsc')
const NODE_TYPES = { '@types/node': '26.6.6' }

/** Its compiler of TypeScript 5 conflicts with ours, so it is no dependency of the project. */
export const openapiTypescript = npmTool('openapi-typescript', {
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  typescript: '5.9.3',
  ...NODE_TYPES,
})
/** Later releases up to 8.38.0 need a package that the registry does not have. */
const orval = npmTool('orval', { orval: '8.30.0', zod: '4.6.7', ...NODE_TYPES })
const linters = npmTool('linters', {
  '@redocly/cli': '2.77.0',
  '@stoplight/spectral-cli': '6.16.3',
})
const nodeTypes = npmTool('node-types', NODE_TYPES)
const OPENAPI_GENERATOR = '7.25.0'
const openapiGeneratorJar = mavenTool(
  'openapi-generator',
  `org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`,
)
const pythonClient = pythonTool('openapi-python-client', [
  'openapi-python-client==0.29.1',
  'mypy==2.4.1',
])
const pythonLibraries = pythonTool('openapi-generator-python', [
  'pydantic==2.14.3',
  'python-dateutil==2.9.0.post0',
  'typing-extensions==4.16.0',
  'urllib3==2.6.2',
  'mypy==2.4.1',
])
const schemathesis = pythonTool('schemathesis', ['schemathesis==4.32.5'])
const oapiCodegen = goTool(
  'oapi-codegen',
  'github.com/oapi-codegen/oapi-codegen/v2',
  'v2.8.2',
  'cmd/oapi-codegen',
)
const ogen = goTool('ogen', 'github.com/ogen-go/ogen', 'v1.23.0', 'cmd/ogen')

/**
 * Warnings that change nothing in the client: OpenAPI 3.1 is always new to this generator, it
 * renames what Go or Java have as a keyword, and it names no schema of a map or of any value.
 */
const HARMLESS_FOR_OPENAPI_GENERATOR = [
  'OpenAPI 3\\.1 support is still in beta',
  'Failed to get the schema name: null',
  '\\(reserved word\\) cannot be used as',
  'Ignoring complex example on request body',
  'Default to typing\\.Any',
].join('|')
const OPENAPI_GENERATOR_WARNING = new RegExp(
  `\\] (?:WARN|ERROR) (?!.*(?:${HARMLESS_FOR_OPENAPI_GENERATOR})).*`,
  'g',
)
/**
 * Harmless: HTTP compares names of headers without case, and the length of a URL is checked by the
 * server.
 */
const OGEN_WARNING =
  /^(?:WARN|ERROR)(?!.*(?:Header name is not canonical|"go_type": "url\.URL")).*/gm

const openapiGenerator = (output: string): ToolCommand => [
  'java',
  '-jar',
  openapiGeneratorJar.pathOf(`openapi-generator-cli-${OPENAPI_GENERATOR}.jar`),
  ...['generate', '-c', 'openapi-generator.yaml', '-i', 'openapi.json', '-o', output],
]
const goBuild: readonly ToolCommand[] = [
  ['go', 'mod', 'tidy'],
  ['go', 'vet', './...'],
  ['go', 'build', '-o', 'story', '.'],
]

/** In the order in which they are tried: what takes longest comes last. */
export const CLIENT_GENERATORS: readonly ClientGenerator[] = [
  {
    name: 'redocly',
    language: '(lint)',
    tools: [linters],
    generate: [[linters.pathOf('.bin/redocly'), 'lint', 'openapi.json']],
    warning: /^\[\d+\] .*/gm,
  },
  {
    name: 'spectral',
    language: '(lint)',
    tools: [linters],
    generate: [
      [
        linters.pathOf('.bin/spectral'),
        ...['lint', 'openapi.json', '--ruleset', 'ruleset.yaml', '--fail-severity', 'hint'],
      ],
    ],
    warning: /^ *\d+:\d+ +(?:error|warning|information|hint) .*/gm,
  },
  {
    name: 'openapi-fetch',
    language: 'TypeScript',
    tools: [openapiTypescript],
    modules: openapiTypescript,
    generate: [
      [
        openapiTypescript.pathOf('.bin/openapi-typescript'),
        ...['openapi.json', '--default-non-nullable=false', '-o', 'schema.d.ts'],
      ],
    ],
    warning: /^.*\bwarn.*/gim,
    compile: [[TSC, '-p', '.']],
    run: ['node', 'out/story.js'],
    sample: { name: 'tasks.ts', folder: '.', run: ['node', 'out/tasks.js'] },
  },
  {
    name: 'orval',
    language: 'TypeScript',
    tools: [orval],
    modules: orval,
    generate: [[orval.pathOf('.bin/orval'), '--config', 'orval.config.mjs']],
    warning: /^.*(?:\bwarn|⚠).*/gim,
    compile: [[TSC, '-p', '.']],
    run: ['node', 'out/story.js'],
  },
  {
    name: 'openapi-generator-typescript-fetch',
    language: 'TypeScript',
    tools: [openapiGeneratorJar, nodeTypes],
    modules: nodeTypes,
    generate: [openapiGenerator('client')],
    warning: OPENAPI_GENERATOR_WARNING,
    compile: [[TSC, '-p', '.']],
    run: ['node', 'out/story.js'],
  },
  {
    name: 'openapi-python-client',
    language: 'Python',
    tools: [pythonClient],
    generate: [
      [
        pythonClient.pathOf('openapi-python-client'),
        ...['generate', '--path', 'openapi.json', '--meta', 'none'],
        ...['--config', 'openapi-python-client.yaml', '--output-path', 'docket_client'],
      ],
    ],
    warning: /^(?:WARNING|ERROR).*/gm,
    compile: [[pythonClient.pathOf('mypy'), '--strict', 'story.py', 'tasks.py', 'docket_client']],
    run: [pythonClient.pathOf('python'), 'story.py'],
    sample: { name: 'tasks.py', folder: '.', run: [pythonClient.pathOf('python'), 'tasks.py'] },
  },
  {
    name: 'openapi-generator-python',
    language: 'Python',
    tools: [openapiGeneratorJar, pythonLibraries],
    generate: [openapiGenerator('.')],
    warning: OPENAPI_GENERATOR_WARNING,
    compile: [[pythonLibraries.pathOf('mypy'), '--follow-imports=silent', 'story.py']],
    run: [pythonLibraries.pathOf('python'), 'story.py'],
  },
  {
    name: 'oapi-codegen',
    language: 'Go',
    tools: [oapiCodegen],
    generate: [
      [oapiCodegen.pathOf('oapi-codegen'), '-config', 'oapi-codegen.yaml', 'openapi.json'],
    ],
    warning: /^.*\bwarn.*/gim,
    compile: goBuild,
    run: ['./story'],
    sample: { name: 'tasks.go', folder: 'tasks', run: ['go', 'run', './tasks'] },
  },
  {
    name: 'ogen',
    language: 'Go',
    tools: [ogen],
    generate: [
      [
        ogen.pathOf('ogen'),
        ...['--target', 'docket', '--package', 'docket', '--clean', '--config', 'ogen.yaml'],
        'openapi.json',
      ],
    ],
    warning: OGEN_WARNING,
    compile: goBuild,
    run: ['./story'],
  },
  {
    name: 'openapi-generator-go',
    language: 'Go',
    tools: [openapiGeneratorJar, systemTool('go')],
    generate: [openapiGenerator('docket')],
    warning: OPENAPI_GENERATOR_WARNING,
    compile: goBuild,
    run: ['./story'],
  },
  {
    name: 'openapi-generator-java',
    language: 'Java',
    tools: [openapiGeneratorJar],
    generate: [openapiGenerator('client')],
    warning: OPENAPI_GENERATOR_WARNING,
    compile: [
      ['cp', 'Story.java', 'client/src/main/java/Story.java'],
      [
        ...(['mvn', '--batch-mode', '--quiet', '-f', 'client/pom.xml'] as const),
        ...['-Dmaven.test.skip=true', '-Dmdep.outputFile=classpath.txt'],
        ...['compile', 'dependency:build-classpath'],
      ],
    ],
    run: ['sh', '-c', 'java -cp "client/target/classes:$(cat client/classpath.txt)" Story'],
  },
  {
    name: 'schemathesis',
    language: '(fuzzer)',
    tools: [schemathesis],
    generate: [],
    warning: /(?!)/g,
    run: ['sh', 'run.sh', schemathesis.pathOf('schemathesis')],
    isFuzzer: true,
  },
]
