import {
  ColumnNode,
  ColumnUpdateNode,
  type InsertQueryNode,
  type KyselyPlugin,
  type OperationNode,
  type PrimitiveValueListNode,
  sql,
  TableNode,
  type UpdateQueryNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
} from 'kysely'

const COLUMN = 'change_number'

/** The tables whose rows are records of the feed of changes. */
const RECORD_TABLES: ReadonlySet<string> = new Set([
  'projects',
  'tags',
  'tasks',
  'comments',
  'time_entries',
  'attachments',
  'memberships',
])

/** Columns of members that no record shows, or that change without being told (docs/spec/api.md#changes). */
const UNTOLD_COLUMNS: ReadonlySet<string> = new Set(['last_active_at', 'name_key', 'name_words'])

/** Statements that change who sees what, or leave tombstones. */
const LEAVES_TOMBSTONES = new RegExp(
  `^delete from "(${[...RECORD_TABLES, 'project_people'].join('|')})"|^insert into "tombstones"`,
)

/** Whether the workspace needs a new change number after this statement. */
export const changesRecords = (text: string): boolean =>
  text.includes(`"${COLUMN}"`) || LEAVES_TOMBSTONES.test(text)

/** The number of the running write, which the commit makes the newest of the workspace. */
export const nextChangeNumber = ({ workspace_id }: { workspace_id: unknown }) =>
  sql<number>`(select last_change_number + 1 from workspaces where workspaces.id = ${workspace_id})`

/**
 * Gives each row that a statement inserts or changes the number of the write, so that no operation can
 * forget it. `workspace_id` is the value to bind.
 */
export function numberChanges(workspace_id: unknown): KyselyPlugin {
  const number = nextChangeNumber({ workspace_id }).toOperationNode()
  return {
    transformQuery({ node }) {
      if (node.kind === 'UpdateQueryNode') return numberUpdate(node, number)
      if (node.kind === 'InsertQueryNode') return numberInsert(node, number)
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

const isRecordTable = (node: OperationNode | undefined): boolean =>
  node !== undefined && TableNode.is(node) && RECORD_TABLES.has(node.table.identifier.name)

const nameOf = (column: OperationNode): string => (ColumnNode.is(column) ? column.column.name : '')

function numberUpdate(node: UpdateQueryNode, number: OperationNode): UpdateQueryNode {
  const { updates = [] } = node
  if (!isRecordTable(node.table) || isUntold(updates)) return node
  return { ...node, updates: [...updates, numberUpdateOf(number)] }
}

const isUntold = (updates: readonly ColumnUpdateNode[]): boolean =>
  updates.every(({ column }) => UNTOLD_COLUMNS.has(nameOf(column)))

const numberUpdateOf = (number: OperationNode) =>
  ColumnUpdateNode.create(ColumnNode.create(COLUMN), number)

function numberInsert(node: InsertQueryNode, number: OperationNode): InsertQueryNode {
  if (!isRecordTable(node.into)) return node
  const { columns = [], values, onConflict } = node
  if (!values || !ValuesNode.is(values))
    throw new Error('Rows of records are inserted by values, which get a change number')
  return {
    ...node,
    columns: [...columns, ColumnNode.create(COLUMN)],
    values: ValuesNode.create(values.values.map((row) => withNumber(row, number))),
    ...(onConflict?.updates && {
      onConflict: { ...onConflict, updates: [...onConflict.updates, numberUpdateOf(number)] },
    }),
  }
}

const withNumber = (row: ValueListNode | PrimitiveValueListNode, number: OperationNode) =>
  ValueListNode.create([
    ...('kind' in row && row.kind === 'ValueListNode'
      ? row.values
      : row.values.map((value) => ValueNode.create(value))),
    number,
  ])
