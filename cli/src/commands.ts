import type { CommandDefinition } from './command.ts'
import { SELF_COMMANDS } from './completion.ts'
import { EVENT_COMMANDS } from './events.ts'
import { MCP_COMMAND } from './mcp.ts'
import { PROGRAM_COMMANDS } from './programs.ts'
import { SIGN_IN_COMMANDS } from './sign-in.ts'
import { TASK_COMMANDS } from './tasks.ts'
import { TIME_COMMANDS } from './time.ts'
import { UNDO_COMMAND } from './undo.ts'

/** All commands, in the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [
  ...SIGN_IN_COMMANDS,
  ...TASK_COMMANDS,
  ...TIME_COMMANDS,
  UNDO_COMMAND,
  ...EVENT_COMMANDS,
  ...PROGRAM_COMMANDS,
  MCP_COMMAND,
  ...SELF_COMMANDS,
]
