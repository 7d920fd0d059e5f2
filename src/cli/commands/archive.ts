import { resolve } from 'node:path'
import { exportWorkspace } from '#archive/export/export-workspace.ts'
import { importWorkspace } from '#archive/import/import-workspace.ts'
import { lowerPriority } from '#backup/create-backup.ts'
import { openFiles } from '#files/open.ts'
import { openInstallationId } from '#webhooks/installation-id.ts'
import { Optional } from '#wire/schema-builders.ts'
import { defineCommand, NameOption, PathOption, PlanOption, WorkspaceOption } from '../arguments.ts'
import { createProgress } from '../output.ts'

const exportCommand = defineCommand({
  access: 'read',
  secretUse: 'optional',
  name: 'export',
  summary: 'Export one workspace to a file without secrets; the server may keep running',
  options: {
    workspace: Optional(WorkspaceOption),
    to: PathOption('The file to create, such as acme.docket.tar'),
  },
  async run({ config, storage, chooseWorkspace }, { workspace, to }) {
    const store = await storage()
    const workspace_id = await chooseWorkspace(workspace)
    lowerPriority()
    const progress = createProgress('Exporting')
    const result = await exportWorkspace(store, openFiles(config), {
      workspace_id,
      to: resolve(to),
      onProgress: progress.report,
    }).finally(progress.end)
    const { archive, size, sha256, manifest, lost_examples } = result
    const lines = Object.fromEntries(manifest.parts.map((one) => [one.part, one.lines]))
    return {
      archive,
      workspace_id,
      made_at: manifest.made_at,
      bytes: size,
      sha256,
      lines,
      files: { ...manifest.files, lost_examples },
    }
  },
  isFailure: hasLostFiles,
})

const importCommand = defineCommand({
  access: 'create',
  name: 'import',
  summary: 'Create a workspace from an exported file, completely or not at all',
  options: {
    file: PathOption('A file created by export'),
    name: Optional(NameOption),
    plan: Optional(PlanOption),
  },
  positionals: ['file'],
  async run({ config, storage }, { file, name, plan }) {
    const store = await storage()
    const progress = createProgress('Importing')
    const imported = await importWorkspace(store, openFiles(config), {
      from: file,
      name,
      plan,
      isCopy: openInstallationId(store, config.dataDir).isCopy,
      onProgress: progress.report,
    }).finally(progress.end)
    const next =
      'Webhooks are disabled and OAuth applications have no secret. Rotate their secrets, then enable the webhooks.'
    return { ...imported, next }
  },
  isFailure: hasLostFiles,
})

export const archiveCommands = [exportCommand, importCommand]

/** Whether some attachments lost their bytes. The rest of the workspace is complete. */
function hasLostFiles(printed: object): boolean {
  return 'files' in printed && (printed.files as { lost: number }).lost > 0
}
