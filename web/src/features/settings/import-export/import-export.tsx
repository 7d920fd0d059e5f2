import './import-export.css'
import { TaskImport } from './task-import.tsx'
import { WorkspaceExport } from './workspace-export.tsx'

/** Export and import of the workspace; loaded lazily, because it is used rarely. */
export function ImportExport() {
  return (
    <>
      <WorkspaceExport />
      <TaskImport />
    </>
  )
}
