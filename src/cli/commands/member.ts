import { ensureAccount, isEmail } from '#auth/users/accounts.ts'
import { findWorkspace } from '#auth/workspaces/workspaces.ts'
import { validationFailed } from '#core/api-error.ts'
import { memberContact, membersAfter } from '#db/installation/record-lists.ts'
import { fromJson } from '#lib/json.ts'
import { addMember, loadMembershipToEnd } from '#resources/members/membership.ts'
import { endMembership, handOverBatch } from '#resources/offboarding/handover.ts'
import { addMemberToProject } from '#resources/projects/people.ts'
import { fieldError } from '#wire/field-error.ts'
import { List, Optional, SingleLineText, StringEnum } from '#wire/schema-builders.ts'
import {
  defineCommand,
  defineDestructiveCommand,
  EmailOption,
  IdOption,
  NameOption,
  PasswordOption,
  preparePasswordOption,
} from '../arguments.ts'
import type { CliInstallation } from '../installation.ts'
import { readPages } from '../output.ts'

const add = defineCommand({
  name: 'member add',
  summary: 'Add a member to a workspace',
  options: {
    workspace: IdOption('workspace'),
    email: EmailOption,
    name: NameOption,
    role: StringEnum(['owner', 'admin', 'member', 'guest']),
    password: Optional(PasswordOption),
    project: Optional(List(IdOption('project to add the member to'))),
  },
  async run({ writeWorkspaceAuth }, options) {
    const { workspace, email, name, role, project = [] } = options
    if (!isEmail(email))
      throw validationFailed(fieldError('email', 'invalid_format', 'must be an email address'))
    const prepared = await preparePasswordOption(options.password, 'password')
    return writeWorkspaceAuth(workspace, async (tx) => {
      const timezone = (await findWorkspace(tx))?.timezone ?? 'UTC'
      const account = await ensureAccount(tx, { email, name, timezone }, prepared)
      const { user_id, password } = account
      const member = await addMember(tx, { user_id, name: account.name, role })
      for (const project_id of project)
        await addMemberToProject(tx, { project_id, user_id }, 'project')
      return { ...fromJson(member.json), user_id, password }
    })
  },
})

const list = defineCommand({
  access: 'read',
  name: 'member list',
  summary: 'List the members of a workspace, removed ones too',
  options: { workspace: IdOption('workspace') },
  async run({ readWorkspace }, { workspace }, _print, printPages) {
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
    workspace: IdOption('workspace'),
    user: IdOption('member'),
    'tasks-to': Optional(
      SingleLineText(1, 64, {
        description:
          'Reassign open tasks and project leads first: a member id, leads (the lead of each project), or nobody',
      }),
    ),
  },
  async describeConsequence({ readWorkspace }, { workspace, user, 'tasks-to': to }) {
    const [name, member] = await readWorkspace(workspace, async (tx) => {
      await loadMembershipToEnd(tx, user)
      return [(await findWorkspace(tx))?.name, await tx.one(memberContact, { id: user })]
    })
    const tasks =
      to === undefined ? 'Their open tasks stay assigned to them' : `Their open tasks go to ${to}`
    return `This removes ${member?.name} (${member?.email}) from the workspace "${name}" and revokes their API keys. ${tasks}.`
  },
  async run(installation, { workspace, user, 'tasks-to': to }) {
    if (to !== undefined) await handOverTasks(installation, workspace, user, to)
    const removed = await installation.writeWorkspaceAuth(workspace, (tx) =>
      endMembership(tx, user),
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
