/** Whose replies the browser may keep: of this person, in workspaces and projects that they see. */
export interface CopyRights {
  user_id: string
  workspaceIds: ReadonlySet<string>
  /** The workspace of the page, of which the projects are known. */
  workspace_id: string
  projectIds: ReadonlySet<string>
}

/** The text of a kept reply. */
export interface ReplyText {
  key: string
  text: string
}

const getOwnName = (key: string, { user_id, workspace_id }: CopyRights): string | undefined => {
  const prefix = `${user_id} ${workspace_id} `
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined
}

const listIds = (text: string, noun: 'prj' | 'tsk'): string[] =>
  text.match(new RegExp(`\\b${noun}_\\w+`, 'g')) ?? []

/** Those whose keys alone say that the person may not see them any more. */
export function findEndedKeys(keys: readonly string[], rights: CopyRights): string[] {
  return keys.filter((key) => {
    const [user_id, workspace_id = ''] = key.split(' ', 2)
    if (user_id !== rights.user_id || !rights.workspaceIds.has(workspace_id)) return true
    const name = getOwnName(key, rights)
    return name !== undefined && listIds(name, 'prj').some((id) => !rights.projectIds.has(id))
  })
}

/** Whether only the text of a reply can say to which project it belongs. */
export function needsText(key: string, rights: CopyRights): boolean {
  const name = getOwnName(key, rights)
  return name !== undefined && name !== '/internal/boot' && listIds(name, 'prj').length === 0
}

/**
 * Those whose texts name a project that the person may not see any more, and what belongs to a single
 * task, as its comments, of which no other reply says that it is in a project of theirs.
 */
export function findEndedTexts(
  replies: readonly ReplyText[],
  { projectIds }: CopyRights,
): string[] {
  const endedKeys: string[] = []
  const taskReplies: { key: string; task_id: string }[] = []
  const visibleTaskIds = new Set<string>()
  for (const { key, text } of replies) {
    const idsInText = listIds(text, 'prj')
    const [task_id] = listIds(key, 'tsk')
    if (idsInText.some((id) => !projectIds.has(id))) endedKeys.push(key)
    else if (idsInText.length > 0) for (const id of listIds(text, 'tsk')) visibleTaskIds.add(id)
    else if (task_id !== undefined) taskReplies.push({ key, task_id })
  }
  const orphans = taskReplies.filter(({ task_id }) => !visibleTaskIds.has(task_id))
  return [...endedKeys, ...orphans.map(({ key }) => key)]
}
