/**
 * The two parsers from outside, loaded when the first header needs them. Why not imported at the top: each of them costs
 * half of a bare `node` start, and a home of plain headers needs none. Invariant 1: no language but YAML is ever
 * evaluated: every other engine refuses.
 */
import type GrayMatter from 'gray-matter'
import type * as Yaml from 'yaml'

export type YamlModule = typeof Yaml
export type MatterFunction = typeof GrayMatter

let yamlModule: YamlModule | null = null
let matterFunction: MatterFunction | null = null

/** The `yaml` package. */
export function yaml(): YamlModule {
  yamlModule ??= load('yaml') as YamlModule
  return yamlModule
}

/** The `gray-matter` package. Call it with MATTER_OPTIONS or its like: without options it caches by content. */
export function matter(): MatterFunction {
  matterFunction ??= load('gray-matter') as MatterFunction
  return matterFunction
}

/** Engines for gray-matter with which nothing but `parse` can run, however the fence spells its language. */
export function onlyYaml(
  parse: (source: string) => object,
): Record<string, { parse(source: string): object }> {
  const refuse = { parse: refuseLanguage }
  return { yaml: { parse }, javascript: refuse, js: refuse, json: refuse, coffee: refuse }
}

function refuseLanguage(): never {
  throw new Error('Header language is not allowed: want a plain --- line')
}

function load(name: string): unknown {
  return process.getBuiltinModule('module').createRequire(import.meta.url)(name)
}
