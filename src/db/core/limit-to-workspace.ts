import {
  AliasNode,
  AndNode,
  type DeleteQueryNode,
  IdentifierNode,
  type InsertQueryNode,
  type KyselyPlugin,
  OnNode,
  type OperationNode,
  OperationNodeTransformer,
  type QueryId,
  type SelectQueryNode,
  sql,
  TableNode,
  type UpdateQueryNode,
  WhereNode,
  type WithNode,
} from 'kysely'
import type { Tables } from '../schema/tables.ts'

/** Tables with rows of no single workspace. A statement names the workspace itself where it means one. */
const SHARED_TABLES: ReadonlySet<string> = new Set<keyof Tables>([
  'installation',
  'users',
  'password_resets',
  'attempts',
  'second_factors',
  'recovery_codes',
  'passkeys',
  'company_links',
  'sign_in_steps',
  'oauth_records',
  'dispatchers',
  // They have a workspace, but a session moves on to another one, and some applications have none.
  'sessions',
  'applications',
  // The full-text indexes of SQLite have no columns but the words.
  'task_words',
  'comment_words',
])

/**
 * Limits all tables that a statement selects from, updates or deletes from to one workspace, also in its
 * subqueries, so that no statement can forget it. `workspace_id` is the value to bind. A joined table
 * must be of the same workspace as the table before it; a join of `workspaces` says itself of which row.
 * Fragments of raw SQL stay as they are.
 */
export const limitToWorkspace = (workspace_id: unknown): KyselyPlugin => ({
  transformQuery: ({ node }) => new WorkspaceLimiter(workspace_id).transformNode(node),
  transformResult: async ({ result }) => result,
})

type LimitedQueryNode = SelectQueryNode | UpdateQueryNode | DeleteQueryNode

/** Kysely transforms a subquery on its own first, and then again as a part of its statement. */
const limitedNodes = new WeakSet<OperationNode>()

class WorkspaceLimiter extends OperationNodeTransformer {
  readonly #workspace_id: unknown
  /** The names of common table expressions, which are no tables. */
  readonly #withNames = new Set<string>()

  constructor(workspace_id: unknown) {
    super()
    this.#workspace_id = workspace_id
  }

  protected override transformSelectQuery(node: SelectQueryNode, id?: QueryId): SelectQueryNode {
    return this.#limit(node, node.from?.froms, () => super.transformSelectQuery(node, id))
  }

  protected override transformUpdateQuery(node: UpdateQueryNode, id?: QueryId): UpdateQueryNode {
    const tables = [...(node.table ? [node.table] : []), ...(node.from?.froms ?? [])]
    return this.#limit(node, tables, () => super.transformUpdateQuery(node, id))
  }

  protected override transformDeleteQuery(node: DeleteQueryNode, id?: QueryId): DeleteQueryNode {
    return this.#limit(node, node.from.froms, () => super.transformDeleteQuery(node, id))
  }

  protected override transformInsertQuery(node: InsertQueryNode, id?: QueryId): InsertQueryNode {
    this.#collectNames(node.with)
    return super.transformInsertQuery(node, id)
  }

  #limit<N extends LimitedQueryNode>(
    node: N,
    tables: readonly OperationNode[] = [],
    transform: () => N,
  ): N {
    if (limitedNodes.has(node)) return node
    this.#collectNames(node.with)
    const transformed = transform()
    let first: string | undefined
    const conditionOf = (node: OperationNode, isJoined = false): OperationNode | undefined => {
      const { table, alias } = tableOf(node)
      const isNamed = isJoined && table === 'workspaces'
      if (!table || SHARED_TABLES.has(table) || this.#withNames.has(table) || isNamed)
        return undefined
      const column = `${alias}.${table === 'workspaces' ? 'id' : 'workspace_id'}`
      const value = first === undefined ? sql`${this.#workspace_id}` : sql.ref(first)
      first ??= column
      return sql`${sql.ref(column)} = ${value}`.toOperationNode()
    }
    const conditions = tables.map((table) => conditionOf(table))
    const joins = transformed.joins?.map((join) => {
      const condition = conditionOf(join.table, join.on !== undefined)
      if (condition && join.on)
        return { ...join, on: OnNode.create(AndNode.create(condition, join.on.on)) }
      conditions.push(condition)
      return join
    })
    const [one, ...others] = [...conditions, transformed.where?.where].filter(
      (condition) => condition !== undefined,
    )
    const limited = {
      ...transformed,
      ...(joins && { joins }),
      ...(one && { where: WhereNode.create(others.reduce(AndNode.create, one)) }),
    }
    limitedNodes.add(limited)
    return limited
  }

  #collectNames(node: WithNode | undefined): void {
    for (const { name } of node?.expressions ?? [])
      this.#withNames.add(name.table.table.identifier.name)
  }
}

/** The table of a part of `from`, and its name in the statement; empty for a subquery. */
function tableOf(node: OperationNode): { table: string; alias: string } {
  const [source, alias] = AliasNode.is(node) ? [node.node, node.alias] : [node, undefined]
  const table = TableNode.is(source) ? source.table.identifier.name : ''
  return { table, alias: alias && IdentifierNode.is(alias) ? alias.name : table }
}
