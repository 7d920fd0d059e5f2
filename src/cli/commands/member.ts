import {
  ensureAccount,
  findAccountByEmail,
  isEmail,
  NO_PASSWORD,
  preparePassword,
} from '#auth/users/accounts.ts'
import { findWorkspace } from '#auth/workspaces/workspaces.ts'
import { validationFailed } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { memberContact, membersAfter } from '#db/installation/record-lists.ts'
import { fromJson } from '#lib/json.ts'
import { addMember, loadMembershipToEnd } from '#resources/members/membership.ts'
import { membershipByUser } from '#resources/members/membership-store.ts'
import { endMembership, handOverBatch } from '#resources/offboarding/handover.ts'
import { addMemberToProject } from '#resources/projects/people.ts'
import { fieldError } from '#wire/field-error.ts'
import type { Role } from '#wire/rights.ts'
import { List, Optional, SingleLineText } from '#wire/schema-builders.ts'
import {
  type Command,
  defineCommand,
  defineDestructiveCommand,
  EmailOption,
  IdOption,
  MEMBER_ALTERNATIVES,
  MEMBER_OPTIONS,
  NameOption,
  PasswordOption,
  PathOption,
  preparePasswordOption,
  RoleOption,
  UsageError,
  WorkspaceOption,
} from '../arguments.ts'
import { type CliInstallation, findUserId, findUserIdIn } from '../installation.ts'
import { createProgress, readPages } from '../output.ts'
import { readPeople } from '../people-file.ts'

const add: Command = defineCommand({
  name: 'member add',
  summary: 'Add a member to a workspace, or all people of a file',
  options: {
    workspace: Optional(WorkspaceOption),
    email: Optional(EmailOption),
    name: Optional(NameOption),
    from: Optional(
      PathOption(
        'A CSV file of people, whose first line names the columns email, name and role; role may be missing',
      ),
    ),
    role: Optional({ ...RoleOption, description: 'Default: member' }),
    password: Optional(PasswordOption),
    project: Optional(List(IdOption('project to add the member to'))),
  },
  alternatives: [['email', 'from']],
  async run(installation, { workspace, email, name, from, role = 'member', ...options }) {
    const { password, project = [] } = options
    if (from !== undefined) {
      if (name === undefined && password === undefined) {
        return addPeople(installation, { workspace, from, role, project })
      }
      throw new UsageError('--name and --password are for one person, not for --from', add)
    }
    if (email === undefined || name === undefined) {
      throw new UsageError('Missing required: --name', add)
    }
    if (!isEmail(email))
      throw validationFailed(fieldError('email', 'invalid_format', 'must be an email address'))
    const prepared = await preparePasswordOption(password, 'password')
    return installation.writeWorkspaceAuth(workspace, async (tx) => {
      const added = await addPerson(tx, { email, name, role, prepared, project })
      return { ...fromJson(added.json), user_id: added.id, password: added.password }
    })
  },
})

interface NewPerson {
  email: string
  name: string
  role: Role
  prepared: Parameters<typeof ensureAccount>[2]
  project: readonly string[]
}

async function addPerson(tx: WriteTx, { email, name, role, prepared, project }: NewPerson) {
  const timezone = (await findWorkspace(tx))?.timezone ?? 'UTC'
  const account = await ensureAccount(tx, { email, name, timezone }, prepared)
  const { user_id, password } = account
  const member = await addMember(tx, { user_id, name: account.name, role })
  for (const project_id of project) await addMemberToProject(tx, { project_id, user_id }, 'project')
  return { ...member, password }
}

interface PeopleOptions {
  workspace: string | undefined
  from: string
  role: Role
  project: readonly string[]
}

/**
 * Adds all people of a file, or nobody. Those who are members already stay as they are, so that a file can grow and
 * be read again.
 */
async function addPeople(
  { chooseWorkspace, readWorkspace, writeWorkspaceAuth }: CliInstallation,
  { workspace, from, role: defaultRole, project }: PeopleOptions,
) {
  const workspace_id = await chooseWorkspace(workspace)
  const people = await readPeople(from)
  const known = await readWorkspace(workspace_id, async (tx) => {
    const emails = new Set<string>()
    for (const { email } of people) if (await findAccountByEmail(tx, email)) emails.add(email)
    return emails
  })
  const progress = createProgress('Preparing passwords')
  const passwords = new Map<string, NewPerson['prepared']>()
  for (const { email } of people) {
    progress.report(`${passwords.size} of ${people.length}`)
    passwords.set(email, known.has(email) ? NO_PASSWORD : await preparePassword())
  }
  progress.end()
  return writeWorkspaceAuth(workspace_id, async (tx) => {
    const data: object[] = []
    for (const { email, name, role = defaultRole } of people) {
      const account = await findAccountByEmail(tx, email)
      const former = account && (await tx.one(membershipByUser, { user_id: account.id }))
      if (former?.removed_at === null) {
        const { role } = former
        data.push({
          email,
          name: account?.name,
          role,
          user_id: account?.id,
          password: null,
          added: false,
        })
        continue
      }
      const prepared = passwords.get(email) ?? NO_PASSWORD
      const { id, password } = await addPerson(tx, { email, name, role, prepared, project })
      data.push({ email, name, role, user_id: id, password, added: true })
    }
    return { data }
  })
}

const list = defineCommand({
  access: 'read',
  name: 'member list',
  summary: 'List the members of a workspace, removed ones too',
  options: { workspace: Optional(WorkspaceOption) },
  async run({ readWorkspace }, { workspace }, printPages) {
    await printPages(
      readPages((page) => readWorkspace(workspace, (tx) => tx.all(membersAfter, page))),
    )
    return undefined
  },
})

const remove = defineDestructiveCommand({
  name: 'member remove',
  summary: 'Remove a member and revoke their API keys; their content stays',
  options: {
    workspace: Optional(WorkspaceOption),
    ...MEMBER_OPTIONS,
    'tasks-to': Optional(
      SingleLineText(1, 254, {
        description:
          'Reassign open tasks and project leads first: the id or email address of a member, leads (the lead of each project), or nobody',
      }),
    ),
  },
  alternatives: MEMBER_ALTERNATIVES,
  async describeConsequence({ readWorkspace }, { workspace, user, email, 'tasks-to': to }) {
    const [name, member] = await readWorkspace(workspace, async (tx) => {
      const id = await findUserId(tx, { user, email })
      await loadMembershipToEnd(tx, id)
      return [(await findWorkspace(tx))?.name, await tx.one(memberContact, { id })]
    })
    const tasks =
      to === undefined ? 'Their open tasks stay assigned to them' : `Their open tasks go to ${to}`
    return `This removes ${member?.name} (${member?.email}) from the workspace "${name}" and revokes their API keys. ${tasks}.`
  },
  async run(installation, { workspace, user, email, 'tasks-to': to }) {
    const workspace_id = await installation.chooseWorkspace(workspace)
    const [id, heir] = await installation.readWorkspace(workspace_id, async (tx) => [
      await findUserId(tx, { user, email }),
      to === undefined ? undefined : await findUserIdIn(tx, to),
    ])
    if (heir !== undefined) await handOverTasks(installation, workspace_id, id, heir)
    const removed = await installation.writeWorkspaceAuth(workspace_id, (tx) =>
      endMembership(tx, id),
    )
    return fromJson(removed.json)
  },
})

/** Takes several transactions. If it is interrupted, running the command again completes it. */
async function handOverTasks(
  installation: CliInstallation,
  workspace: string,
  user_id: string,
  to: string,
): Promise<void> {
  let after: string | undefined
  for (let isDone = false; !isDone; ) {
    const batch = await installation.writeWorkspace(workspace, async (tx) => {
      await loadMembershipToEnd(tx, user_id)
      return handOverBatch(tx, user_id, { to, after })
    })
    after = batch.after ?? undefined
    isDone = batch.done
  }
}

export const memberCommands = [add, list, remove]
