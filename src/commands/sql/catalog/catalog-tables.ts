// The columns of the virtual tables, in PostgreSQL's order, each as `name type`. As in PostgreSQL's
// search path, the schema `pg_catalog` is optional. Tables without rows only have the columns that
// clients name.

import type { TableName } from '../../../protocol/sql/ast.js'

const definitions: Readonly<Record<string, string>> = {
  'information_schema.tables': `table_catalog name, table_schema name, table_name name,
    table_type text, self_referencing_column_name name, reference_generation text,
    user_defined_type_catalog name, user_defined_type_schema name, user_defined_type_name name,
    is_insertable_into text, is_typed text, commit_action text`,
  'information_schema.views': `table_catalog name, table_schema name, table_name name,
    view_definition text, check_option text, is_updatable text, is_insertable_into text`,
  'information_schema.columns': `table_catalog name, table_schema name, table_name name,
    column_name name, ordinal_position int4, column_default text, is_nullable text, data_type text,
    character_maximum_length int4, character_octet_length int4, numeric_precision int4,
    numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type text,
    character_set_name name, collation_name name, domain_name name, udt_catalog name,
    udt_schema name, udt_name name, is_identity text, identity_generation text, is_generated text,
    generation_expression text, is_updatable text`,
  'information_schema.schemata': `catalog_name name, schema_name name, schema_owner name,
    default_character_set_catalog name, default_character_set_schema name,
    default_character_set_name name, sql_path text`,
  'information_schema.table_constraints': `constraint_catalog name, constraint_schema name,
    constraint_name name, table_catalog name, table_schema name, table_name name,
    constraint_type text, is_deferrable text, initially_deferred text, enforced text`,
  'information_schema.key_column_usage': `constraint_catalog name, constraint_schema name,
    constraint_name name, table_catalog name, table_schema name, table_name name, column_name name,
    ordinal_position int4, position_in_unique_constraint int4`,
  'information_schema.constraint_column_usage': `table_catalog name, table_schema name,
    table_name name, column_name name, constraint_catalog name, constraint_schema name,
    constraint_name name`,
  'information_schema.referential_constraints': `constraint_catalog name, constraint_schema name,
    constraint_name name, unique_constraint_catalog name, unique_constraint_schema name,
    unique_constraint_name name, match_option text, update_rule text, delete_rule text`,
  'information_schema.table_privileges': `grantor name, grantee name, table_catalog name,
    table_schema name, table_name name, privilege_type text, is_grantable text,
    with_hierarchy text`,
  'information_schema.role_table_grants': `grantor name, grantee name, table_catalog name,
    table_schema name, table_name name, privilege_type text, is_grantable text,
    with_hierarchy text`,
  'information_schema.column_privileges': `grantor name, grantee name, table_catalog name,
    table_schema name, table_name name, column_name name, privilege_type text, is_grantable text`,
  'information_schema.role_column_grants': `grantor name, grantee name, table_catalog name,
    table_schema name, table_name name, column_name name, privilege_type text, is_grantable text`,
  'information_schema.usage_privileges': `grantor name, grantee name, object_catalog name,
    object_schema name, object_name name, object_type text, privilege_type text,
    is_grantable text`,
  pg_namespace: 'oid oid, nspname name, nspowner oid, nspacl text',
  pg_class: `oid oid, relname name, relnamespace oid, reltype oid, reloftype oid, relowner oid,
    relam oid, relfilenode oid, reltablespace oid, relpages int4, reltuples float4,
    relallvisible int4, reltoastrelid oid, relhasindex bool, relisshared bool, relpersistence char,
    relkind char, relnatts int2, relchecks int2, relhasrules bool, relhastriggers bool,
    relhassubclass bool, relrowsecurity bool, relforcerowsecurity bool, relispopulated bool,
    relreplident char, relispartition bool, relacl text, reloptions text, relpartbound text`,
  pg_attribute: `attrelid oid, attname name, atttypid oid, attstattarget int4, attlen int2,
    attnum int2, attndims int4, atttypmod int4, attbyval bool, attstorage char, attnotnull bool,
    atthasdef bool, atthasmissing bool, attidentity char, attgenerated char, attisdropped bool,
    attislocal bool, attinhcount int4, attcollation oid, attacl text, attoptions text,
    attcompression char`,
  pg_type: `oid oid, typname name, typnamespace oid, typowner oid, typlen int2, typbyval bool,
    typtype char, typcategory char, typispreferred bool, typisdefined bool, typdelim char,
    typrelid oid, typelem oid, typarray oid, typnotnull bool, typbasetype oid, typtypmod int4,
    typndims int4, typcollation oid, typdefault text`,
  pg_index: `indexrelid oid, indrelid oid, indnatts int2, indnkeyatts int2, indisunique bool,
    indnullsnotdistinct bool, indisprimary bool, indisexclusion bool, indimmediate bool,
    indisclustered bool, indisvalid bool, indisready bool, indislive bool, indisreplident bool,
    indkey int2vector, indoption int2vector, indexprs text, indpred text`,
  pg_constraint: `oid oid, conname name, connamespace oid, contype char, condeferrable bool,
    condeferred bool, convalidated bool, conrelid oid, contypid oid, conindid oid, conparentid oid,
    confrelid oid, confupdtype char, confdeltype char, confmatchtype char, conislocal bool,
    coninhcount int4, connoinherit bool, conkey int2[], confkey int2[], conbin text`,
  pg_database: `oid oid, datname name, datdba oid, encoding int4, datlocprovider char,
    datistemplate bool, datallowconn bool, datconnlimit int4, dattablespace oid, datcollate text,
    datctype text, daticulocale text, datcollversion text, datacl text`,
  pg_am: 'oid oid, amname name, amhandler text, amtype char',
  pg_roles: `oid oid, rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool,
    rolcreatedb bool, rolcanlogin bool, rolreplication bool, rolconnlimit int4, rolpassword text,
    rolvaliduntil timestamptz, rolbypassrls bool, rolconfig text`,
  pg_user: 'usename name, usesysid oid, usecreatedb bool, usesuper bool, passwd text',
  pg_settings: `name text, setting text, unit text, category text, short_desc text, context text,
    vartype text, source text`,
  pg_tables: `schemaname name, tablename name, tableowner name, tablespace name, hasindexes bool,
    hasrules bool, hastriggers bool, rowsecurity bool`,
  pg_views: 'schemaname name, viewname name, viewowner name, definition text',
  pg_indexes: 'schemaname name, tablename name, indexname name, tablespace name, indexdef text',
  pg_attrdef: 'oid oid, adrelid oid, adnum int2, adbin text',
  pg_collation: 'oid oid, collname name, collnamespace oid',
  pg_description: 'objoid oid, classoid oid, objsubid int4, description text',
  pg_shdescription: 'objoid oid, classoid oid, description text',
  pg_inherits: 'inhrelid oid, inhparent oid, inhseqno int4, inhdetachpending bool',
  pg_policy: `oid oid, polname name, polrelid oid, polcmd char, polpermissive bool, polroles text,
    polqual text, polwithcheck text`,
  pg_proc: `oid oid, proname name, pronamespace oid, proowner oid, prokind char, prorettype oid,
    proargtypes text`,
  pg_publication: 'oid oid, pubname name, pubowner oid, puballtables bool',
  pg_publication_namespace: 'oid oid, pnpubid oid, pnnspid oid',
  pg_publication_rel: 'oid oid, prpubid oid, prrelid oid, prqual text, prattrs text',
  pg_statistic_ext: `oid oid, stxrelid oid, stxname name, stxnamespace oid, stxowner oid,
    stxstattarget int4, stxkeys text, stxkind text`,
  pg_auth_members: 'roleid oid, member oid, grantor oid, admin_option bool',
  pg_trigger: 'oid oid, tgrelid oid, tgname name, tgisinternal bool, tgenabled char',
  pg_rewrite: 'oid oid, rulename name, ev_class oid, ev_type char',
  pg_extension: 'oid oid, extname name, extowner oid, extnamespace oid, extversion text',
  pg_enum: 'oid oid, enumtypid oid, enumsortorder float4, enumlabel name',
  pg_range: 'rngtypid oid, rngsubtype oid',
  pg_depend: 'classid oid, objid oid, objsubid int4, refclassid oid, refobjid oid, deptype char',
  pg_sequence: 'seqrelid oid, seqtypid oid, seqstart int8, seqincrement int8',
  pg_tablespace: 'oid oid, spcname name, spcowner oid',
  pg_matviews: `schemaname name, matviewname name, matviewowner name, tablespace name,
    hasindexes bool, ispopulated bool, definition text`,
  pg_opclass: `oid oid, opcmethod oid, opcname name, opcnamespace oid, opcowner oid, opcfamily oid,
    opcintype oid, opcdefault bool, opckeytype oid`,
  pg_sequences: `schemaname name, sequencename name, sequenceowner name, data_type oid,
    start_value int8, min_value int8, max_value int8, increment_by int8, cycle bool,
    cache_size int8, last_value int8`,
  pg_policies: `schemaname name, tablename name, policyname name, permissive text, roles text,
    cmd text, qual text, with_check text`,
  pg_rules: 'schemaname name, tablename name, rulename name, definition text',
  pg_partitioned_table: `partrelid oid, partstrat char, partnatts int2, partdefid oid,
    partattrs int2vector`,
  pg_foreign_table: 'ftrelid oid, ftserver oid, ftoptions text',
  pg_foreign_server: `oid oid, srvname name, srvowner oid, srvfdw oid, srvtype text,
    srvversion text, srvacl text, srvoptions text`,
  pg_event_trigger: `oid oid, evtname name, evtevent name, evtowner oid, evtfoid oid,
    evtenabled char, evttags text`,
  pg_user_mapping: 'oid oid, umuser oid, umserver oid, umoptions text',
  pg_default_acl: `oid oid, defaclrole oid, defaclnamespace oid, defaclobjtype char,
    defaclacl text`,
}

/** Column names with their types. */
export type TableColumns = ReadonlyMap<string, string>

const tables = new Map(
  Object.entries(definitions).map(([name, text]) => [name, columnsIn(text)] as const),
)

function columnsIn(text: string): TableColumns {
  return new Map(
    text.split(',').map((column) => {
      const [name = '', type = ''] = column.trim().split(/\s+/)
      return [name, type] as const
    }),
  )
}

/** `pg_class`, `information_schema.tables`; undefined if the name is no virtual table. */
export function virtualName({ schema, name }: TableName): string | undefined {
  const full = schema === undefined || schema === 'pg_catalog' ? name : `${schema}.${name}`
  return tables.has(full) ? full : undefined
}

export function virtualTable(name: string): TableColumns {
  return tables.get(name) ?? new Map()
}

/** The type of a column in results: `varchar(10)` becomes varchar. */
export function resultType(type: string, isDeclared = false): string {
  if (isDeclared) return type.replace(/\(.*\)/, '')
  return resultTypes.get(type) ?? type
}

const resultTypes = new Map([
  ['name', 'text'],
  ['char', 'text'],
  ['oid', 'int4'],
  ['int2', 'int4'],
  ['float4', 'float8'],
])
