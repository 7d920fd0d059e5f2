import './import-export.css'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { transferMessages } from '../../../messages/settings/transfer.ts'
import { ManagersOnly } from '../managers-only.tsx'
import { SettingsHeader } from '../settings-header.tsx'
import { ImportScreen } from './import-screen.tsx'
import { WorkspaceExport } from './workspace-export.tsx'

/** Moving in and moving out: imports from other tools, and exports of the workspace. */
export function ImportExport() {
  const title = settingsMessages.sections.import
  return (
    <ManagersOnly title={title} create={transferMessages.choose} why={transferMessages.why}>
      <SettingsHeader title={title}>{transferMessages.why}</SettingsHeader>
      <div className="scroll">
        <ImportScreen />
        <WorkspaceExport />
      </div>
    </ManagersOnly>
  )
}
