import { useBoot } from '../../data/session/boot.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { Icon } from '../../ui/marks/icon.tsx'
import { MenuButton } from '../../ui/overlays/menu-button.tsx'
import { goToWorkspace } from './go-to-workspace.ts'

/** The name of the workspace; opens a menu with all workspaces of the user. */
export function WorkspaceSwitcher() {
  const { session } = useBoot('session')
  const { workspace, workspaces } = session
  return (
    <MenuButton
      className="switch"
      label={shellMessages.switchFrom(workspace.name)}
      items={workspaces.map(({ id, name, role, deleted_at }) => ({
        id,
        label: name,
        hint: deleted_at === null ? shellMessages.roles[role] : shellMessages.deletedWorkspace,
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
