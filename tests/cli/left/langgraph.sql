BEGIN TRANSACTION;
CREATE TABLE store (
    -- 'prefix' represents the doc's 'namespace'
    prefix text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, expires_at TIMESTAMP, ttl_minutes REAL,
    PRIMARY KEY (prefix, key)
);
INSERT INTO "store" VALUES('users.ann','likes',X'7B22666F6F64223A2263616B65227D','2026-11-18 14:40:59','2026-11-18 14:40:59',NULL,NULL);
INSERT INTO "store" VALUES('users.größe','a/b.c',X'7B2278223A317D','2026-11-18 14:40:59','2026-11-18 14:40:59',NULL,NULL);
INSERT INTO "store" VALUES('deep.dddddddddddddddddddddddddddddddddddddddd.dddddddddddddddddddddddddddddddddddddddd.dddddddddddddddddddddddddddddddddddddddd.dddddddddddddddddddddddddddddddddddddddd.dddddddddddddddddddddddddddddddddddddddd.dddddddddddddddddddddddddddddddddddddddd.dddddddddddddddddddddddddddddddddddddddd.dddddddddddddddddddddddddddddddddddddddd.dddddddddddddddddddddddddddddddddddddddd.dddddddddddddddddddddddddddddddddddddddd.dddddddddddddddddddddddddddddddddddddddd.dddddddddddddddddddddddddddddddddddddddd','k',X'7B2279223A317D','2026-11-18 14:40:59','2026-11-18 14:40:59',NULL,NULL);
INSERT INTO "store" VALUES('t','soon',X'7B227A223A317D','2026-11-18 14:40:59','2026-11-18 14:40:59','2076-11-05 14:40:59.587171+00:00',26280000.0);
CREATE TABLE store_migrations (
                    v INTEGER PRIMARY KEY
                );
INSERT INTO "store_migrations" VALUES(0);
INSERT INTO "store_migrations" VALUES(1);
INSERT INTO "store_migrations" VALUES(2);
INSERT INTO "store_migrations" VALUES(3);
INSERT INTO "store_migrations" VALUES(4);
CREATE INDEX store_prefix_idx ON store (prefix);
CREATE INDEX idx_store_expires_at ON store (expires_at)
WHERE expires_at IS NOT NULL;
COMMIT;
