import { goTool, mavenTool, npmTool, pythonTool, type Tool, type ToolCommand } from './toolchain.ts'

/** A generator of clients. */
export interface ClientGenerator {
  /** Also the folder of tools/clients/programs that has its settings and its program. */
  readonly name: string
  readonly language: string
  readonly tool: Tool
  /** Run in a copy of the folder that has the document as `openapi.json`, as all commands are. */
  readonly generate: readonly ToolCommand[]
  /** Finds each warning in what the generator prints. */
  readonly warning: RegExp
  readonly compile: readonly ToolCommand[]
  /** Calls the API. It fails if a reply is not as the story has it. */
  readonly run: ToolCommand
  /** A program of docs/guides/clients.md, where it goes and how to run it. */
  readonly sample?: { readonly name: string; readonly folder: string; readonly run: ToolCommand }
}

const OPENAPI_GENERATOR = '7.25.0'
const openapiGeneratorJar = mavenTool(
  'openapi-generator',
  `org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`,
)
const openapiTypescript = npmTool('openapi-typescript', [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  'typescript@5.9.3',
  '@types/node@26.6.6',
])
const pythonClient = pythonTool('openapi-python-client', [
  'openapi-python-client==0.29.1',
  'mypy==2.4.1',
])
const oapiCodegen = goTool(
  'oapi-codegen',
  'github.com/oapi-codegen/oapi-codegen/v2',
  'v2.8.2',
  'cmd/oapi-codegen',
)

/**
 * Warnings that change nothing in the client: OpenAPI 3.1 is always new to this generator, it
 * renames what Java has as a keyword, and it names no schema of a map or of any value.
 */
const HARMLESS_FOR_OPENAPI_GENERATOR = [
  'OpenAPI 3\\.1 support is still in beta',
  'Failed to get the schema name: null',
  '\\(reserved word\\) cannot be used as',
  'Ignoring complex example on request body',
].join('|')
const OPENAPI_GENERATOR_WARNING = new RegExp(
  `\\] (?:WARN|ERROR) (?!.*(?:${HARMLESS_FOR_OPENAPI_GENERATOR})).*`,
  'g',
)

/** In the order in which they are tried: what takes longest comes last. */
export const CLIENT_GENERATORS: readonly ClientGenerator[] = [
  {
    name: 'openapi-typescript',
    language: 'TypeScript',
    tool: openapiTypescript,
    generate: [
      [openapiTypescript.pathOf('.bin/openapi-typescript'), 'openapi.json', '-o', 'docket.ts'],
    ],
    warning: /^.*(?:⚠|\bwarn).*/gim,
    compile: [
      ['ln', '-s', openapiTypescript.pathOf(''), 'node_modules'],
      [openapiTypescript.pathOf('.bin/tsc'), '-p', '.'],
    ],
    run: [process.execPath, 'story.ts'],
    sample: { name: 'listing.ts', folder: '.', run: [process.execPath, 'listing.ts'] },
  },
  {
    name: 'openapi-python-client',
    language: 'Python',
    tool: pythonClient,
    generate: [
      [
        pythonClient.pathOf('openapi-python-client'),
        'generate',
        '--path',
        'openapi.json',
        '--meta',
        'none',
        '--config',
        'openapi-python-client.yaml',
        '--output-path',
        'docket_client',
      ],
    ],
    warning: /^(?:WARNING|ERROR).*/gm,
    compile: [[pythonClient.pathOf('mypy'), '--strict', 'story.py', 'tasks.py', 'docket_client']],
    run: [pythonClient.pathOf('python'), 'story.py'],
    sample: { name: 'tasks.py', folder: '.', run: [pythonClient.pathOf('python'), 'tasks.py'] },
  },
  {
    name: 'oapi-codegen',
    language: 'Go',
    tool: oapiCodegen,
    generate: [
      [oapiCodegen.pathOf('oapi-codegen'), '-config', 'oapi-codegen.yaml', 'openapi.json'],
    ],
    warning: /^.*\bwarn.*/gim,
    compile: [
      ['go', 'mod', 'tidy'],
      ['go', 'vet', './...'],
      ['go', 'build', '-o', 'story', '.'],
    ],
    run: ['./story'],
    sample: { name: 'tasks.go', folder: 'tasks', run: ['go', 'run', './tasks'] },
  },
  {
    name: 'openapi-generator-java',
    language: 'Java',
    tool: openapiGeneratorJar,
    generate: [
      [
        'java',
        '-jar',
        openapiGeneratorJar.pathOf(`openapi-generator-cli-${OPENAPI_GENERATOR}.jar`),
        'generate',
        '-c',
        'openapi-generator.yaml',
        '-i',
        'openapi.json',
        '-o',
        'client',
      ],
    ],
    warning: OPENAPI_GENERATOR_WARNING,
    compile: [
      ['cp', 'Story.java', 'client/src/main/java/Story.java'],
      [
        'mvn',
        '--batch-mode',
        '--quiet',
        '-f',
        'client/pom.xml',
        '-Dmaven.test.skip=true',
        '-Dmdep.outputFile=classpath.txt',
        'compile',
        'dependency:build-classpath',
      ],
    ],
    run: ['sh', '-c', 'java -cp "client/target/classes:$(cat client/classpath.txt)" Story'],
  },
]
