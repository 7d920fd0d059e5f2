import { useBoot } from '../../data/boot.ts'
import { m } from '../../messages/shell.ts'
import { Icon } from '../../ui/icon.tsx'
import { MenuButton } from '../../ui/menu.tsx'
import { goToWorkspace } from './go-to-workspace.ts'

/** The name of the workspace; opens those that the person is a member of. */
export function WorkspaceSwitch() {
  const { session } = useBoot()
  const { workspace, workspaces } = session
  return (
    <MenuButton
      className="switch"
      label={m.switchFrom(workspace.name)}
      items={workspaces.map(({ id, name, role, deleted_at }) => ({
        id,
        label: name,
        hint: deleted_at === null ? role : m.deletedWorkspace,
        checked: id === workspace.id,
        run: () => {
          if (id !== workspace.id) goToWorkspace(id)
        },
      }))}
    >
      <span className="lbl clip">{workspace.name}</span>
      <Icon name="updown" />
    </MenuButton>
  )
}
