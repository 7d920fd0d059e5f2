import type { Interaction } from '#consent/contract.ts'

type Asked = Interaction['scopes'][number]

/** What is asked of one kind of record, in sentences. */
export interface Group {
  resource: string
  sentences: string[]
}

/** Deleting cannot be taken back, and a webhook carries out of the house whatever happens in it. */
const isGrave = (name: string): boolean => name.endsWith(':delete') || name === 'webhooks:write'

/** The scopes by kind of record, in the order in which they are asked; the grave ones apart. */
export const sorted = (scopes: readonly Asked[]): { usual: Group[]; grave: Group[] } => ({
  usual: grouped(scopes.filter(({ name }) => !isGrave(name))),
  grave: grouped(scopes.filter(({ name }) => isGrave(name))),
})

/** Whether anything at all could be deleted. */
export const deletes = (scopes: readonly Asked[]): boolean =>
  scopes.some(({ name }) => name.endsWith(':delete'))

function grouped(scopes: readonly Asked[]): Group[] {
  const groups = Map.groupBy(scopes, ({ name }) => name.slice(0, name.indexOf(':')))
  return [...groups].map(([resource, asked]) => ({
    resource,
    sentences: asked.map(({ description }) => description),
  }))
}
