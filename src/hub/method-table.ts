/**
 * The table of methods: the one list from which calls, types and the reference are made. To add a method: a row in
 * methods/, its name here; tests and docs/api.md follow.
 */
import type { z } from 'zod'
import type { Method } from './env.ts'
import * as access from './methods/agents/access-methods.ts'
import * as agentCalls from './methods/agents/agent-calls.ts'
import * as agents from './methods/agents/agent-methods.ts'
import * as incoming from './methods/agents/incoming-methods.ts'
import * as incomingTasks from './methods/agents/incoming-tasks.ts'
import * as mirror from './methods/agents/mirror-methods.ts'
import * as asks from './methods/ask-methods.ts'
import * as audit from './methods/audit-methods.ts'
import * as commits from './methods/commit-method.ts'
import * as chatFiles from './methods/conversations/chat-files.ts'
import * as chats from './methods/conversations/chat-list.ts'
import * as memberChange from './methods/conversations/member-change.ts'
import * as members from './methods/conversations/member-methods.ts'
import * as messages from './methods/conversations/message-methods.ts'
import * as scopeCare from './methods/conversations/scope-care.ts'
import * as scopes from './methods/conversations/scope-methods.ts'
import * as home from './methods/home-methods.ts'
import * as search from './methods/home-search.ts'
import * as me from './methods/me-method.ts'
import * as memoryBrowse from './methods/memory/memory-browse.ts'
import * as memoryCare from './methods/memory/memory-care.ts'
import * as memoryChange from './methods/memory/memory-change.ts'
import * as memories from './methods/memory/memory-methods.ts'
import * as overview from './methods/overview.ts'
import * as reviews from './methods/review-methods.ts'
import * as rooms from './methods/room-methods.ts'
import * as scheduleChange from './methods/schedule-change.ts'
import * as schedules from './methods/schedule-methods.ts'
import * as sessions from './methods/session-methods.ts'
import * as sessionRoom from './methods/session-room.ts'
import * as transcripts from './methods/session-transcript.ts'
import * as config from './methods/settings/config-methods.ts'
import * as sources from './methods/settings/source-methods.ts'
import * as preview from './methods/settings/source-preview.ts'
import * as tasks from './methods/task-methods.ts'
import * as taskStatus from './methods/task-status.ts'
import * as stories from './methods/task-story.ts'
import * as templates from './methods/template-methods.ts'

export const METHODS = [
  rooms.roomCreate,
  rooms.roomList,
  rooms.roomGet,
  rooms.roomUpdate,
  rooms.roomArchive,
  rooms.roomPause,
  rooms.roomResume,
  overview.roomOverview,
  sessionRoom.roomAssignSession,
  sessionRoom.roomUnassignSession,
  tasks.taskCreate,
  tasks.taskList,
  tasks.taskGet,
  stories.taskStory,
  tasks.taskUpdate,
  taskStatus.taskStart,
  taskStatus.taskRetry,
  taskStatus.taskCancel,
  taskStatus.taskComplete,
  taskStatus.taskFail,
  tasks.taskDelete,
  memories.memoryAdd,
  memories.memoryList,
  memoryBrowse.memoryBrowse,
  memoryChange.memoryUpdate,
  memoryChange.memoryDelete,
  memories.memorySearch,
  memoryCare.memoryDistill,
  memoryCare.memoryLog,
  memoryCare.memoryRestore,
  sessions.sessionList,
  sessions.sessionGet,
  transcripts.sessionTranscript,
  sessions.sessionCreate,
  sessions.sessionStop,
  sessions.sessionResume,
  messages.messageSend,
  chats.chatList,
  chatFiles.chatAttach,
  chatFiles.chatFile,
  messages.contextGet,
  messages.contextCompact,
  messages.contextClear,
  messages.contextStop,
  messages.fileGet,
  messages.fileSend,
  asks.askList,
  asks.askDecide,
  commits.commitGet,
  reviews.reviewList,
  reviews.reviewDiff,
  reviews.reviewAccept,
  reviews.reviewReject,
  schedules.scheduleList,
  schedules.scheduleCheck,
  schedules.scheduleCreate,
  scheduleChange.scheduleUpdate,
  scheduleChange.scheduleDelete,
  schedules.scheduleRun,
  templates.templateList,
  templates.templateFill,
  templates.templateRun,
  home.planGet,
  home.usageSummary,
  members.memberList,
  members.memberAdd,
  members.memberPair,
  members.memberRemove,
  members.memberToken,
  members.memberRevoke,
  memberChange.memberUpdate,
  memberChange.memberUnpair,
  audit.auditTimeline,
  overview.statusGlobal,
  scopes.scopeList,
  scopes.scopeGet,
  scopes.scopeTranscript,
  scopeCare.scopeRemember,
  memoryChange.scopeEdit,
  scopes.scopeShare,
  scopeCare.scopeDistill,
  scopeCare.scopeRenew,
  scopeCare.scopeStop,
  scopeCare.scopeClear,
  scopeCare.scopePurge,
  scopes.policyStatus,
  config.configGet,
  config.configSet,
  sources.sourceGet,
  sources.sourceCheck,
  sources.sourceSet,
  preview.sourcePreview,
  sources.schemaGet,
  search.homeSearch,
  me.meGet,
  agents.agentList,
  agents.agentRequests,
  agents.agentKeygen,
  agents.agentInspect,
  agents.agentAdd,
  agents.agentRevoke,
  agents.agentToken,
  agentCalls.agentDiscover,
  agentCalls.agentQuery,
  agentCalls.agentAsked,
  agentCalls.agentExecute,
  access.accessRules,
  access.accessCheck,
  incoming.aoiDiscover,
  incoming.aoiQuery,
  incomingTasks.aoiExecute,
  incomingTasks.aoiTaskGet,
  incomingTasks.aoiTaskList,
  incoming.aoiAnswer,
  mirror.mirrorEvent,
  mirror.mirrorSnapshot,
  mirror.mirrorSearch,
] as const

export type MethodName = (typeof METHODS)[number]['name']
type Row<N extends MethodName> = Extract<(typeof METHODS)[number], { readonly name: N }>
/** What a caller gives. */
export type ParamsOf<N extends MethodName> = z.input<Row<N>['params']>
/** What a caller gets. */
export type ResultOf<N extends MethodName> = z.output<Row<N>['result']>

/** By name. */
export const TABLE: ReadonlyMap<string, Method> = new Map(
  METHODS.map((row) => [row.name, row as unknown as Method]),
)
