/** The variables of the samples by the prefix of the ids that they hold. */
const VARIABLES = {
  usr: 'USER_ID',
  prj: 'PROJECT_ID',
  tag: 'TAG_ID',
  tsk: 'TASK_ID',
  cmt: 'COMMENT_ID',
  tme: 'TIME_ENTRY_ID',
  att: 'ATTACHMENT_ID',
  whk: 'WEBHOOK_ID',
  dlv: 'DELIVERY_ID',
} as const

/** A variable, and the prefix of the ids that it holds. */
export interface IdVariable {
  readonly name: string
  readonly prefix: string
}

/** Which operation gives the id that later samples use. */
const STORED_PREFIXES: Readonly<Record<string, keyof typeof VARIABLES>> = {
  listMembers: 'usr',
  listProjects: 'prj',
  createTag: 'tag',
  createTask: 'tsk',
  createComment: 'cmt',
  createTimeEntry: 'tme',
  uploadAttachment: 'att',
  createWebhook: 'whk',
  testWebhook: 'dlv',
}

/** The variable that gets its value from the reply of an operation. */
export function storedVariable(operationId: string): IdVariable | undefined {
  const prefix = STORED_PREFIXES[operationId]
  return prefix && { prefix, name: VARIABLES[prefix] }
}

/** Replaces the ids of the recorded examples by variables; also short ids of tasks. */
export function withIdVariables(text: string): string {
  const prefixes = Object.entries(VARIABLES)
  return prefixes
    .reduce(
      (replaced, [prefix, name]) =>
        replaced.replace(RegExp(`\\b${prefix}_[0-9a-hjkmnp-tv-z]{26}\\b`, 'g'), `$$${name}`),
      text,
    )
    .replace(/^ENG-\d+$/, '$TASK_ID')
}

/** A piece of a text: either characters, or the name of a variable. */
export type TextPiece = { readonly text: string } | { readonly variable: string }

/** Splits a text at its variables. */
export function splitAtVariables(text: string): TextPiece[] {
  return text
    .split(/(\$[A-Z_]+_ID\b)/)
    .filter((piece) => piece !== '')
    .map((piece) => (/^\$[A-Z_]+_ID$/.test(piece) ? { variable: piece.slice(1) } : { text: piece }))
}

/** The names of the variables in a request, in order and without repeats. */
export function variablesIn(...texts: string[]): string[] {
  const names = texts.flatMap((text) =>
    splitAtVariables(text).flatMap((piece) => ('variable' in piece ? [piece.variable] : [])),
  )
  return [...new Set(names)]
}
